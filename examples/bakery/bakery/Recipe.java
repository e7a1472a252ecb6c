package bakery;

/** What can be baked. */
interface Recipe {
    String name();

    /** How long it stays in the oven. */
    int minutes();

    /** What a piece costs. */
    default int cents() {
        return 20 + minutes() * 3;
    }

    /** How often its dough is folded before it is baked. */
    default int folds() {
        return 1;
    }
}
