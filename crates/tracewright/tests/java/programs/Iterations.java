/** Loops that make more iterations than an int can count. */
public class Iterations {
    /** An int takes every value but the greatest: 2^32 - 1 iterations, the first number that no word tells. */
    static int everyInt() {
        int sum = 0;
        for (int i = Integer.MIN_VALUE; i < Integer.MAX_VALUE; i++) sum += 3;
        return sum;
    }

    /** 2^32 iterations, then an exception in the next. */
    static void outside(int[] list) {
        long done = 0;
        while (true) list[(int) (done++ >>> 32)] = 1;
    }

    public static void main(String[] arguments) {
        System.out.println(everyInt());
        try {
            outside(new int[1]);
        } catch (IndexOutOfBoundsException e) {
            System.out.println("outside");
        }
    }
}
