package bakery;

import java.util.ArrayList;
import java.util.List;

/** A morning in a bakery: two bakers bake what the orders ask for, then the till counts. */
public final class Main {
    public static void main(String[] arguments) throws InterruptedException {
        List<Order> orders = Order.morning();
        Till till = new Till();
        List<Thread> bakers = new ArrayList<>();
        for (int number = 1; number <= 2; number++) {
            List<Order> mine = orders.subList((number - 1) * orders.size() / 2, number * orders.size() / 2);
            Thread baker = new Thread(() -> new Baker(till).bakeAll(mine), "baker " + number);
            bakers.add(baker);
            baker.start();
        }
        for (Thread baker : bakers) {
            baker.join();
        }
        System.out.println("sold " + till.pieces() + " pieces for " + till.cents() + " cents");
    }
}
