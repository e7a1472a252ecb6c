package bakery;

final class BurntException extends Exception {
    BurntException(int heat) {
        super("burnt at " + heat);
    }
}
