package bakery;

final class Pretzel implements Recipe {
    @Override
    public String name() {
        return "pretzel";
    }

    @Override
    public int minutes() {
        return 12;
    }
}
