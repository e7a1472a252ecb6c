package bakery;

import java.util.ArrayList;
import java.util.List;

/** So many pieces of one thing. */
record Order(Recipe recipe, int pieces) implements Comparable<Order> {
    /** The same orders every morning, the largest first. */
    static List<Order> morning() {
        Recipe[] recipes = {new Bread(), new Pretzel(), new Cake()};
        List<Order> orders = new ArrayList<>();
        for (int number = 0; number < 60; number++) {
            orders.add(new Order(recipes[number % recipes.length], 2 + number * 7 % 5));
        }
        orders.sort(null);
        return orders;
    }

    @Override
    public int compareTo(Order other) {
        return Integer.compare(other.pieces, pieces);
    }
}
