package bakery;

/** Counts what was sold. */
final class Till {
    private int pieces;
    private int cents;
    private int burnt;

    synchronized void pay(Order order) {
        pieces += order.pieces();
        cents += order.pieces() * order.recipe().cents();
    }

    synchronized void note(Recipe recipe, BurntException why) {
        burnt++;
    }

    synchronized int pieces() {
        return pieces;
    }

    synchronized int cents() {
        return cents;
    }
}
