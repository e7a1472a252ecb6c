package shelf;

import java.util.function.IntUnaryOperator;

/** A library: it calls methods of its own, and what it is given. */
public final class Shelf {
    private int count;

    public int put(int thing, IntUnaryOperator price) {
        count++;
        return paid(thing, price);
    }

    private int paid(int thing, IntUnaryOperator price) {
        return checked(price.applyAsInt(thing));
    }

    private int checked(int price) {
        return price < 0 ? 0 : price;
    }

    public int count() {
        return sum(count);
    }

    private static int sum(int number) {
        return number == 0 ? 0 : 1 + sum(number - 1);
    }
}
