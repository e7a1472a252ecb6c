package bakery;

import java.util.List;

/** Works through a list of orders and bakes a piece again when it was burnt. */
final class Baker {
    private final Till till;
    private final Oven oven = new Oven();

    Baker(Till till) {
        this.till = till;
    }

    void bakeAll(List<Order> orders) {
        orders.forEach(this::bakeOne);
    }

    private void bakeOne(Order order) {
        for (int piece = 0; piece < order.pieces(); piece++) {
            bakePiece(order.recipe());
        }
        till.pay(order);
    }

    private void bakePiece(Recipe recipe) {
        boolean done = false;
        while (!done) {
            Dough dough = Dough.mix(recipe);
            try {
                oven.bake(dough, recipe.minutes());
                done = true;
            } catch (BurntException burnt) {
                till.note(recipe, burnt);
            }
        }
    }
}
