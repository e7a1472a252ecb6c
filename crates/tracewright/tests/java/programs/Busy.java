import java.util.concurrent.atomic.AtomicLong;

/** Three threads that call, loop and throw until enough was done; the sum tells whether all went well. */
public class Busy {
    static int step(int n) {
        if (n % 11 == 0) throw new IllegalArgumentException();
        return n % 3 == 0 ? n / 3 : n + 1;
    }
    static long turns(long count) {
        long sum = 0;
        for (long i = 0; i < count; i++) {
            try {
                sum += step((int) (i % 1000));
            } catch (IllegalArgumentException e) {
                sum--;
            }
        }
        return sum;
    }
    public static void main(String[] args) throws Exception {
        long count = Long.parseLong(args[0]);
        AtomicLong sum = new AtomicLong();
        Thread[] threads = new Thread[3];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> sum.addAndGet(turns(count)), "busy-" + i);
            threads[i].start();
        }
        System.out.println("begun");
        for (Thread thread : threads) thread.join();
        System.out.println(sum);
    }
}
