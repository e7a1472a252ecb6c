import java.util.*;

/** A bank in simulated time: customers come at random, and some have not enough. */
public class Bank {
    static class NoMoney extends RuntimeException {
        NoMoney(String who) {
            super(who);
        }
    }

    static class Event implements Comparable<Event> {
        final double at;
        final int customer;
        final boolean leaves;

        Event(double at, int customer, boolean leaves) {
            this.at = at;
            this.customer = customer;
            this.leaves = leaves;
        }

        public int compareTo(Event other) {
            return Double.compare(at, other.at);
        }
    }

    final Random chance = new Random();
    final PriorityQueue<Event> events = new PriorityQueue<>();
    final ArrayDeque<Integer> line = new ArrayDeque<>();
    final int[] money = new int[50];
    int free = 2, refused;

    void come(Event event) {
        if (free > 0) {
            free--;
            serve(event.at, event.customer);
        } else {
            line.add(event.customer);
        }
    }

    void serve(double now, int customer) {
        try {
            pay(customer, 1 + chance.nextInt(60));
        } catch (NoMoney refusal) {
            refused++;
        }
        events.add(new Event(now + 0.5 + chance.nextDouble(), customer, true));
    }

    void pay(int customer, int amount) {
        if (money[customer] < amount) throw new NoMoney("customer " + customer);
        money[customer] -= amount;
    }

    void leave(Event event) {
        Integer next = line.poll();
        if (next == null) free++;
        else serve(event.at, next);
    }

    void run() {
        double at = 0;
        for (int i = 0; i < money.length; i++) {
            money[i] = 20 + chance.nextInt(80);
            at += -Math.log(1 - chance.nextDouble()) * 0.6;
            events.add(new Event(at, i, false));
        }
        while (!events.isEmpty()) {
            Event event = events.poll();
            if (event.leaves) leave(event);
            else come(event);
        }
    }

    public static void main(String[] arguments) {
        Bank bank = new Bank();
        bank.run();
        if (bank.free != 2) throw new IllegalStateException("free " + bank.free);
    }
}
