package bakery;

/** Dough, which has twice as many layers after each fold. */
final class Dough {
    private final int layers;

    private Dough(int layers) {
        this.layers = layers;
    }

    static Dough mix(Recipe recipe) {
        return new Dough(1).fold(recipe.folds());
    }

    private Dough fold(int times) {
        if (times == 0) {
            return this;
        }
        return new Dough(layers * 2).fold(times - 1);
    }

    int layers() {
        return layers;
    }
}
