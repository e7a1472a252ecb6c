import java.net.ServerSocket;
import java.util.*;
import java.util.concurrent.*;

/**
 * A producer that waits for room in a full queue, beside threads that go on. As in Stall.java, the lines that are to be named where
 * nobody is left to take anything end with the argument as a comment.
 */
public final class Queues {
    static volatile long result;

    interface Task {
        void run() throws Exception;
    }

    static Thread thread(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.start();
        return thread;
    }

    static void tick() throws InterruptedException {
        while (true) {
            Thread.sleep(100);
            result += ("beat " + result).length();
        }
    }

    static void work(long number) {
        if (number > 3) throw new IllegalStateException("no more than 3");
        result += number;
    }

    // The consumer has died, and the thread that made it ticks.
    static void consumerDied() throws Exception {
        BlockingQueue<Long> queue = new ArrayBlockingQueue<>(4);
        thread("consumer", () -> {
            while (true) work(queue.take());
        });
        thread("producer", () -> {
            for (long number = 0; ; number++) queue.put(number); // consumerDied
        });
        tick();
    }

    // The same beside what a scheduler does.
    static void scheduledBeside() throws Exception {
        BlockingDeque<Long> queue = new LinkedBlockingDeque<>(4);
        Executors.newScheduledThreadPool(1).scheduleAtFixedRate(() -> result++, 0, 100, TimeUnit.MILLISECONDS);
        thread("consumer", () -> {
            while (true) work(queue.takeFirst());
        });
        for (long number = 0; ; number++) queue.putLast(number); // scheduledBeside
    }

    // The consumer wants a lock that the producer holds.
    static void heldMeanwhile() throws Exception {
        BlockingQueue<Long> queue = new ArrayBlockingQueue<>(4);
        Object lock = new Object();
        thread("producer", () -> {
            synchronized (lock) {
                for (long number = 0; ; number++) queue.put(number); // heldMeanwhile
            }
        });
        Thread.sleep(200);
        thread("consumer", () -> {
            while (true) {
                synchronized (lock) {
                    result += queue.take();
                }
            }
        });
        tick();
    }

    // The last stage of three has died, and each of the others waits for the next one.
    static void lastStageDied() throws Exception {
        List<BlockingQueue<Long>> queues = List.of(new ArrayBlockingQueue<>(2), new ArrayBlockingQueue<>(2));
        thread("last", () -> {
            while (true) work(queues.get(1).take());
        });
        thread("middle", () -> {
            while (true) queues.get(1).put(queues.get(0).take() + 1); // lastStageDied
        });
        thread("first", () -> {
            for (long number = 0; ; number++) queues.get(0).put(number); // lastStageDied
        });
        tick();
    }

    // ---------------------------------------------------------------- what makes progress

    static long busy(long number) {
        long end = System.nanoTime() + 2_500_000_000L;
        for (long n = number; System.nanoTime() < end; n++) result += n % 7;
        return result;
    }

    // The consumer takes its time over each.
    static void slowConsumer() throws Exception {
        BlockingQueue<Long> queue = new ArrayBlockingQueue<>(2);
        thread("consumer", () -> {
            while (true) busy(queue.take());
        });
        thread("ticker", Queues::tick);
        for (long number = 0; ; number++) queue.put(number);
    }

    static int drain(BlockingQueue<Long> queue) {
        List<Long> all = new ArrayList<>();
        return queue.drainTo(all);
    }

    // What looks like a ticker takes, in a method that has returned.
    static void tickerDrains() throws Exception {
        BlockingQueue<Long> queue = new ArrayBlockingQueue<>(2);
        thread("ticker", () -> {
            while (true) {
                Thread.sleep(2500);
                result += drain(queue);
            }
        });
        for (long number = 0; ; number++) queue.put(number);
    }

    // A task of a schedule takes, and is seldom seen. In a class of its own: where code has this, a schedule may take.
    static final class Schedule {
        static void drains() throws Exception {
            BlockingQueue<Long> queue = new ArrayBlockingQueue<>(2);
            ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
            pool.scheduleAtFixedRate(() -> result++, 0, 100, TimeUnit.MILLISECONDS);
            pool.scheduleAtFixedRate(() -> result += drain(queue), 500, 2500, TimeUnit.MILLISECONDS);
            for (long number = 0; ; number++) queue.put(number);
        }
    }

    // Whoever asks for one gets one.
    static void served() throws Exception {
        BlockingQueue<Long> queue = new ArrayBlockingQueue<>(2);
        thread("server", () -> {
            try (ServerSocket server = new ServerSocket(0)) {
                while (true) {
                    server.accept().close();
                    result = queue.take();
                }
            }
        });
        for (long number = 0; ; number++) queue.put(number);
    }

    // A task, which another thread has handed over, takes.
    static void handedOver() throws Exception {
        BlockingQueue<Long> queue = new ArrayBlockingQueue<>(2);
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        thread("worker", () -> {
            while (true) tasks.take().run();
        });
        thread("source", () -> {
            while (true) {
                Thread.sleep(2500);
                tasks.add(() -> drain(queue));
            }
        });
        for (long number = 0; ; number++) queue.put(number);
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("begun");
        switch (arguments[0]) {
            case "consumerDied" -> consumerDied();
            case "scheduledBeside" -> scheduledBeside();
            case "heldMeanwhile" -> heldMeanwhile();
            case "lastStageDied" -> lastStageDied();

            case "slowConsumer" -> slowConsumer();
            case "tickerDrains" -> tickerDrains();
            case "scheduledDrains" -> Schedule.drains();
            case "served" -> served();
            case "handedOver" -> handedOver();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }
}
