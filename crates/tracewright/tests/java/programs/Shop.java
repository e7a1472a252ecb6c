import java.util.*;
import java.util.concurrent.*;
/** Threads that serve requests beside each other, and do other things between them. */
public class Shop {
    static volatile boolean over;
    final int[] sold = new int[8];
    static int price(int item) { return item * 7 % 5 + 1; }
    int total(int items) {
        int sum = 0;
        for (int item = 0; item < items; item++) {
            sum += price(item);
            sold[item & 7]++;
        }
        return sum;
    }
    static class Till {
        final int money;
        Till(Shop shop, int items) { this(shop.total(items)); }
        Till(int money) { this.money = money; if (money == 13) throw new IllegalStateException("13"); }
    }
    long serve(int n) {
        try {
            Till till = new Till(this, n);
            switch (n % 4) {
                case 0: return till.money;
                case 1: return n > 20 ? serve(n - 20) + 1L : price(n);
                case 2: synchronized (this) { return total(2); }
                default: throw new IllegalArgumentException("3");
            }
        } finally {
            sold[0]--;
        }
    }
    static long deep(int n) { return n == 0 ? 0 : 1 + deep(n - 1); }
    long round(int i) {
        long sum = total(i % 9) + deep(i % 20);
        try { sum += serve(i % 50); } catch (IllegalArgumentException | IllegalStateException e) { sum += e.getMessage().length(); }
        return sum + price(i);
    }
    public static void main(String[] arguments) throws Exception {
        int rounds = Integer.parseInt(arguments[0]), count = 4;
        CyclicBarrier barrier = new CyclicBarrier(count);
        long[] sums = new long[count];
        Thread[] threads = new Thread[count];
        for (int t = 0; t < count; t++) {
            int number = t;
            (threads[t] = new Thread(() -> {
                Shop shop = new Shop();
                try { barrier.await(); } catch (Exception broken) { throw new AssertionError(broken); }
                for (int i = 0; i < rounds; i++) sums[number] += shop.round(i + number);
            }, "worker-" + t)).start();
        }
        for (Thread thread : threads) thread.join();
        System.out.println(Arrays.toString(sums));
    }
}
