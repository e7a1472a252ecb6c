import java.io.IOException;
import java.nio.file.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.regex.Pattern;

/**
 * Programs that make no progress, each in another way, and programs that do. The lines that are to be named of the former end
 * with the argument as a comment.
 */
public final class Stall {
    static volatile boolean isOver;
    static volatile long result;

    // A list whose end was linked to its beginning.
    static final class Node {
        final int value;
        Node next;

        Node(int value) {
            this.value = value;
        }
    }

    static void circularList() {
        Node first = new Node(0);
        Node last = first;
        for (int i = 1; i < 50; i++) {
            last.next = new Node(i);
            last = last.next;
        }
        last.next = first;
        long sum = 0;
        for (Node node = first; node != null; node = node.next) sum += node.value; // circularList
        result = sum;
    }

    // Two polite threads, each of which lets the other one go first.
    static final AtomicInteger OWNER = new AtomicInteger();

    static void livelock() throws InterruptedException {
        Thread other = new Thread(() -> polite(1, 0), "other");
        other.start();
        polite(0, 1);
    }

    static boolean isWaiting(int who) {
        return !isOver && who >= 0;
    }

    static void polite(int me, int you) {
        boolean isDone = false;
        while (!isDone) { // livelock
            if (OWNER.get() != me) { // livelock
                Thread.onSpinWait(); // livelock
                continue; // livelock
            }
            if (isWaiting(you)) { // livelock
                OWNER.set(you); // livelock
                continue; // livelock
            }
            isDone = true;
        } // livelock
    }

    // Locks that are tried, given back and tried again.
    static void tryLocks() throws InterruptedException {
        Lock one = new ReentrantLock();
        Lock two = new ReentrantLock();
        CountDownLatch both = new CountDownLatch(2);
        one.lock();
        Thread other = new Thread(() -> {
            two.lock();
            both.countDown();
            while (!one.tryLock()) { // tryLocks
                Thread.yield(); // tryLocks
            } // tryLocks
        }, "other");
        other.start();
        both.countDown();
        both.await();
        while (!two.tryLock()) { // tryLocks
            Thread.yield(); // tryLocks
        } // tryLocks
    }

    // A list that only grows, slowly.
    static void growth() {
        List<byte[]> kept = new ArrayList<>();
        int at = 0;
        while (!isOver) { // growth
            kept.add(new byte[8]); // growth
            for (int i = 0; i < 100_000; i++) at += i ^ at; // growth
            result = at; // growth
        } // growth
    }

    // Each round looks at one more than the last one.
    static void longer() {
        int[] items = new int[1 << 20];
        int count = 0;
        while (!isOver) { // longer
            for (int i = 0; i < count; i++) items[i]++; // longer
            if (count < items.length) count++; // longer
        } // longer
    }

    // The error is caught, and the same is tried again.
    static int endless(int depth) {
        return endless(depth + 1) + 1; // caughtRecursion
    }

    static void caughtRecursion() throws InterruptedException {
        Thread small = new Thread(null, Stall::recursions, "small", 1 << 18);
        small.start();
        small.join();
    }

    static void recursions() {
        while (!isOver) { // caughtRecursion
            try { // caughtRecursion
                result = endless(0); // caughtRecursion
            } catch (StackOverflowError error) { // caughtRecursion
                result++; // caughtRecursion
            }
        } // caughtRecursion
    }

    static void backtracking() {
        result = Pattern.matches("(x+x+)+\\1y", "x".repeat(60)) ? 1 : 0; // backtracking
    }

    // An iterator that never ends.
    static void iterator() {
        Iterator<Integer> same = new Iterator<>() {
            public boolean hasNext() {
                return true; // iterator
            }

            public Integer next() {
                return 1; // iterator
            }
        };
        long sum = 0;
        while (same.hasNext()) sum += same.next(); // iterator
        result = sum;
    }

    // A search between bounds that do not come closer.
    static int search(int[] sorted, int wanted) {
        int low = 0;
        int high = sorted.length;
        while (low < high) { // search
            int middle = (low + high) >>> 1; // search
            if (sorted[middle] < wanted) low = middle; // search
            else high = middle; // search
        } // search
        return low;
    }

    // A retry without a limit.
    static boolean attempt(int number) {
        return number < 0; // retry
    }

    static void retry() {
        while (!attempt(1)) { // retry
            result++; // retry
        } // retry
    }

    // A state machine that comes back.
    static String step(String state) {
        return switch (state) { // states
            case "open" -> "read"; // states
            case "read" -> "close"; // states
            default -> "open"; // states
        };
    }

    static void states() {
        String state = "open";
        while (!state.equals("done")) state = step(state); // states
    }

    // The condition is tested with == on boxed numbers.
    static void overflow() {
        for (byte b = 0; b < 200; b++) result += b; // overflow
    }

    static void floating() {
        double d = 0;
        while (d != 1.0) d += 0.1; // floating
    }

    // The child waits for its input, which nobody closes.
    static void pipe() throws Exception {
        Process child = new ProcessBuilder("cat").start();
        result = child.getInputStream().read(); // pipe
    }

    // The child's output fills its pipe, which nobody reads.
    static void pipeFull() throws Exception {
        Process child = new ProcessBuilder("sh", "-c", "yes | head -c 1000000").start();
        child.waitFor(); // pipeFull
    }

    // A barrier that one comes too few to.
    static void barrier() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(3);
        new Thread(() -> {
            try {
                barrier.await(); // barrier
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, "other").start();
        barrier.await(); // barrier
    }

    // A lock that its holder has not given back before it ended.
    static void abandoned() throws Exception {
        Lock lock = new ReentrantLock();
        Thread other = new Thread(lock::lock);
        other.start();
        other.join();
        lock.lock(); // abandoned
    }

    // A producer that has failed, and a bounded queue.
    static void fullQueue() throws Exception {
        BlockingQueue<Integer> queue = new ArrayBlockingQueue<>(4);
        for (int i = 0; i < 10; i++) queue.put(i); // fullQueue
    }

    // Tasks of a parallel stream that wait for one another.
    static void future() throws Exception {
        CompletableFuture<Integer> never = new CompletableFuture<>();
        result = never.thenApply(n -> n + 1).get(); // future
    }

    // ---------------------------------------------------------------- what makes progress

    static boolean isPrime(long n) {
        for (long d = 2; d * d <= n; d++) if (n % d == 0) return false;
        return true;
    }

    static void primes() {
        long count = 0;
        for (long n = 2; n < Long.MAX_VALUE / 2; n++) if (isPrime(n)) count++;
        result = count;
    }

    static int collatz(long n) {
        int steps = 0;
        while (n != 1) {
            n = n % 2 == 0 ? n / 2 : 3 * n + 1;
            steps++;
        }
        return steps;
    }

    static void collatzes() {
        int best = 0;
        for (long n = 1; !isOver; n++) best = Math.max(best, collatz(n));
        result = best;
    }

    static void matrix() {
        int n = 2000;
        float[][] a = new float[n][n];
        float[][] b = new float[n][n];
        float[][] c = new float[n][n];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];
        result = (long) c[1][1];
    }

    static double advance(double[] bodies, double by) {
        for (int i = 0; i < bodies.length; i++) {
            for (int j = 0; j < bodies.length; j++) {
                if (i != j) bodies[i] += by / (1 + Math.abs(bodies[i] - bodies[j]));
            }
        }
        return bodies[0];
    }

    static void bodies() {
        double[] bodies = {1, 2, 3, 4, 5};
        for (int i = 0; i < 2_000_000_000; i++) advance(bodies, 0.001);
    }

    static int queens(int row, int columns, int up, int down, int size) {
        if (row == size) return 1;
        int found = 0;
        for (int column = 0; column < size; column++) {
            int bits = 1 << column | 1 << (row + column + 8) % 31;
            if ((columns & 1 << column) != 0 || (up & 1 << row + column) != 0
                    || (down & 1 << row - column + size) != 0) continue;
            found += queens(row + 1, columns | 1 << column, up | 1 << row + column,
                    down | 1 << row - column + size, size);
            result = bits;
        }
        return found;
    }

    static void sort(int[] numbers) {
        for (int i = 1; i < numbers.length; i++) {
            int key = numbers[i];
            int j = i - 1;
            for (; j >= 0 && numbers[j] > key; j--) numbers[j + 1] = numbers[j];
            numbers[j + 1] = key;
        }
    }

    static void sorting() {
        Random random = new Random(7);
        while (!isOver) {
            int[] numbers = new int[2000 + random.nextInt(3000)];
            for (int i = 0; i < numbers.length; i++) numbers[i] = random.nextInt();
            sort(numbers);
            result = numbers[0];
        }
    }

    static int fibonacci(int n) {
        return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
    }

    static void batches() throws InterruptedException {
        for (int batch = 0; !isOver; batch++) {
            for (int i = 0; i < 200_000; i++) result += isPrime(batch * 1000L + i % 100) ? 1 : 0;
            Thread.sleep(1500);
        }
    }

    static void progressBar() throws IOException {
        for (long i = 0; !isOver; i++) {
            long sum = 0;
            for (int j = 0; j < 50_000_000; j++) sum += j ^ i;
            result = sum;
            Files.writeString(Path.of("progress"), i + "\n");
        }
    }

    static void pollsFile() throws Exception {
        while (!Files.exists(Path.of("never-comes"))) Thread.sleep(20);
    }

    static void scheduled() {
        ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);
        executor.scheduleAtFixedRate(() -> result++, 0, 20, TimeUnit.MILLISECONDS);
    }

    static void watches() throws Exception {
        WatchService service = FileSystems.getDefault().newWatchService();
        Path.of(".").register(service, StandardWatchEventKinds.ENTRY_CREATE);
        while (true) {
            WatchKey key = service.take();
            key.pollEvents();
            key.reset();
        }
    }

    static void serves() throws Exception {
        var server = com.sun.net.httpserver.HttpServer.create(new java.net.InetSocketAddress("127.0.0.1", 0), 0);
        server.createContext("/", exchange -> exchange.close());
        server.setExecutor(Executors.newFixedThreadPool(4));
        server.start();
    }

    static void actors() throws Exception {
        BlockingQueue<Integer> there = new LinkedBlockingQueue<>();
        BlockingQueue<Integer> back = new LinkedBlockingQueue<>();
        Thread worker = new Thread(() -> {
            try {
                while (true) back.put(there.take() + 1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "worker");
        worker.start();
        for (int i = 0; !isOver; i++) {
            there.put(i);
            result = back.take();
            if (i % 10 == 0) Thread.sleep(5);
        }
    }

    static void chat() throws IOException {
        int letter;
        while ((letter = System.in.read()) >= 0) result += letter;
    }

    static void tasks() throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        Random random = new Random(3);
        while (!isOver) {
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                long start = 1 + random.nextInt(1_000_000);
                all.add(pool.submit(() -> {
                    int most = 0;
                    for (long n = start; n < start + 20_000; n++) most = Math.max(most, collatz(n));
                    return most;
                }));
            }
            for (Future<Integer> one : all) result += one.get();
        }
    }

    static void timer() {
        new java.util.Timer("ticks").schedule(new java.util.TimerTask() {
            public void run() {
                result++;
            }
        }, 0, 50);
    }

    static void phases() throws Exception {
        Phaser phaser = new Phaser(1);
        new Thread(() -> {
            try {
                while (true) {
                    Thread.sleep(40);
                    phaser.arrive();
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "clock").start();
        while (!isOver) phaser.awaitAdvance(phaser.getPhase());
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("begun");
        switch (arguments[0]) {
            case "circularList" -> circularList();
            case "livelock" -> livelock();
            case "tryLocks" -> tryLocks();
            case "growth" -> growth();
            case "longer" -> longer();
            case "caughtRecursion" -> caughtRecursion();
            case "backtracking" -> backtracking();
            case "iterator" -> iterator();
            case "search" -> search(new int[] {1, 2, 3, 4}, 9);
            case "retry" -> retry();
            case "states" -> states();
            case "overflow" -> overflow();
            case "floating" -> floating();
            case "pipe" -> pipe();
            case "pipeFull" -> pipeFull();
            case "barrier" -> barrier();
            case "abandoned" -> abandoned();
            case "fullQueue" -> fullQueue();
            case "future" -> future();

            case "primes" -> primes();
            case "collatzes" -> collatzes();
            case "matrix" -> matrix();
            case "bodies" -> bodies();
            case "queens" -> result = queens(0, 0, 0, 0, 15);
            case "sorting" -> sorting();
            case "fibonacci" -> result = fibonacci(60);
            case "batches" -> batches();
            case "progressBar" -> progressBar();
            case "pollsFile" -> pollsFile();
            case "scheduled" -> scheduled();
            case "watches" -> watches();
            case "serves" -> serves();
            case "actors" -> actors();
            case "chat" -> chat();
            case "tasks" -> tasks();
            case "timer" -> timer();
            case "phases" -> phases();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }
}
