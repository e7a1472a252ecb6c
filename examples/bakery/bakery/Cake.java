package bakery;

final class Cake implements Recipe {
    @Override
    public String name() {
        return "cake";
    }

    @Override
    public int minutes() {
        return 55;
    }

    @Override
    public int cents() {
        return 350;
    }
}
