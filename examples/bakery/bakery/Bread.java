package bakery;

final class Bread implements Recipe {
    @Override
    public String name() {
        return "bread";
    }

    @Override
    public int minutes() {
        return 40;
    }

    @Override
    public int folds() {
        return 3;
    }
}
