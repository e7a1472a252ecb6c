import java.util.concurrent.*;

/** Two who make, three who take, and who goes home when nothing came for a while. */
public class Consumers {
    static final BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(8);
    static volatile boolean isOver;

    static void make(int from, int to) throws InterruptedException {
        for (int i = from; i < to; i++) {
            if (!queue.offer(i)) {
                waitForRoom();
                queue.put(i);
            }
        }
    }

    static void waitForRoom() throws InterruptedException {
        for (int i = 0; i < 3 && queue.remainingCapacity() == 0; i++) Thread.sleep(0, 100_000);
    }

    static int take() throws InterruptedException {
        int taken = 0;
        while (true) {
            Integer one = queue.poll(2, TimeUnit.MILLISECONDS);
            if (one == null) {
                if (isOver) return taken;
                continue;
            }
            use(one);
            taken++;
        }
    }

    static void use(int one) {
        if (one % 10 == 0) heavy(one);
        else light(one);
    }

    static int heavy(int one) {
        int sum = 0;
        for (int i = 0; i < 50; i++) sum += i ^ one;
        return sum;
    }

    static int light(int one) {
        return one * 3;
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] takers = new Thread[3], makers = new Thread[2];
        for (int i = 0; i < takers.length; i++) {
            takers[i] = new Thread(() -> {
                try {
                    take();
                } catch (InterruptedException gone) {
                    isOver = true;
                }
            }, "taker-" + i);
            takers[i].start();
        }
        for (int i = 0; i < makers.length; i++) {
            int from = i * 200;
            makers[i] = new Thread(() -> {
                try {
                    make(from, from + 200);
                } catch (InterruptedException gone) {
                    isOver = true;
                }
            }, "maker-" + i);
            makers[i].start();
        }
        for (Thread one : makers) one.join();
        isOver = true;
        for (Thread one : takers) one.join();
    }
}
