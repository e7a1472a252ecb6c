package shop;

/** Two clerks and one till: who comes second waits for who came first. */
public class Queue {
    private static final Object TILL = new Object();
    private static volatile long sum;

    public static void main(String[] args) throws Exception {
        Thread first = new Thread(() -> serve("first", 60), "clerk 1");
        Thread second = new Thread(() -> serve("second", 40), "clerk 2");
        first.start();
        Thread.sleep(20);
        second.start();
        first.join();
        second.join();
        close();
    }

    static void serve(String name, int ms) {
        prepare(30);
        synchronized (TILL) {
            pay(ms);
        }
        prepare(10);
    }

    /** Works without a pause. */
    static void prepare(int ms) {
        long end = System.nanoTime() + ms * 1_000_000L;
        while (System.nanoTime() < end) {
            // Some tens of microseconds each: what it records stays small.
            int[] numbers = new java.util.Random(7).ints(2_000).toArray();
            java.util.Arrays.sort(numbers);
            sum += numbers[0];
        }
    }

    /** Waits for the card. */
    static void pay(int ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static void close() throws Exception {
        Thread.sleep(15);
        prepare(10);
    }
}
