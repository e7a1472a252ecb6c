import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.zip.CRC32;
import java.util.zip.Deflater;

/**
 * More programs that make no progress and more that do, written before the rules for them were looked at. As in Stall.java, the
 * lines that are to be named of the former end with the argument as a comment.
 */
public final class Standstill {
    static volatile boolean isOver;
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

    // A flag that its owner has not given back before it ended.
    static void casSpin() throws Exception {
        AtomicBoolean flag = new AtomicBoolean();
        thread("owner", () -> flag.set(true)).join();
        while (!flag.compareAndSet(false, true)) Thread.onSpinWait(); // casSpin
    }

    // Each undoes what the other one does.
    static final AtomicInteger CELL = new AtomicInteger();

    static void casUndo() {
        thread("down", () -> {
            while (CELL.get() != -1) CELL.compareAndSet(1, 0); // casUndo
        });
        while (CELL.get() != 2) CELL.compareAndSet(0, 1); // casUndo
    }

    // Each takes its own lock, finds the other one's taken, and gives its own back.
    static final AtomicInteger ROUND = new AtomicInteger();

    static void inStep(int round) {
        ROUND.incrementAndGet(); // tryLockLivelock
        while (ROUND.get() < 2 * round) Thread.onSpinWait(); // tryLockLivelock
    }

    static void takeBoth(Lock own, Lock other) {
        for (int round = 1; ; round += 2) { // tryLockLivelock
            own.lock(); // tryLockLivelock
            inStep(round); // tryLockLivelock
            if (other.tryLock()) return; // tryLockLivelock
            inStep(round + 1); // tryLockLivelock
            own.unlock(); // tryLockLivelock
        }
    }

    static void tryLockLivelock() {
        Lock one = new ReentrantLock();
        Lock two = new ReentrantLock();
        thread("second", () -> takeBoth(two, one));
        takeBoth(one, two);
    }

    // A reader that has not given its stamp back.
    static void stampedSpin() {
        StampedLock lock = new StampedLock();
        lock.readLock();
        long stamp;
        while ((stamp = lock.tryWriteLock()) == 0) Thread.onSpinWait(); // stampedSpin
        result = stamp;
    }

    // A writer that has not given its stamp back, and a reader that hopes.
    static void optimistic() {
        StampedLock lock = new StampedLock();
        lock.writeLock();
        long stamp;
        long seen;
        do {
            stamp = lock.tryOptimisticRead(); // optimistic
            seen = result; // optimistic
        } while (!lock.validate(stamp)); // optimistic
        result = seen;
    }

    static void phaser() {
        Phaser phaser = new Phaser(2);
        phaser.arriveAndAwaitAdvance(); // phaser
    }

    static void allOf() {
        CompletableFuture<Void> done = CompletableFuture.completedFuture(null);
        CompletableFuture.allOf(done, new CompletableFuture<>()).join(); // allOf
    }

    static void exchanger() throws Exception {
        result = new Exchanger<Long>().exchange(1L); // exchanger
    }

    static void handover() throws Exception {
        new SynchronousQueue<Long>().put(1L); // handover
    }

    // Tasks that join each other.
    static final ForkJoinTask<?>[] TASKS = new ForkJoinTask<?>[2];

    static void joinCircle() {
        CountDownLatch made = new CountDownLatch(1);
        for (int i = 0; i < 2; i++) {
            int other = 1 - i;
            TASKS[i] = ForkJoinTask.adapt(() -> {
                made.await();
                return TASKS[other].join(); // joinCircle
            });
        }
        ForkJoinPool pool = new ForkJoinPool(2);
        for (ForkJoinTask<?> task : TASKS) pool.submit(task);
        made.countDown();
        TASKS[0].join(); // joinCircle
    }

    // A task of a pool of one that waits for another one.
    static void nestedSubmit() throws Exception {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        Future<Integer> outer = pool.submit(() -> pool.submit(() -> 1).get()); // nestedSubmit
        result = outer.get(); // nestedSubmit
    }

    // The same, and somebody who looks again and again.
    static void spinDone() {
        ExecutorService pool = Executors.newSingleThreadExecutor();
        pool.submit(() -> pool.submit(() -> 1).get());
        Future<Integer> second = pool.submit(() -> 2);
        while (!second.isDone()) Thread.yield(); // spinDone
    }

    static void alternatives() {
        Pattern pattern = Pattern.compile("^(?:(\\w+)\\s?)*(?!\\1)$");
        result = pattern.matcher("a".repeat(60) + "!").find() ? 1 : 0; // alternatives
    }

    // All wait for their own turn, which nobody gives.
    static void turns() {
        Object lock = new Object();
        for (int i = 1; i <= 2; i++) {
            int me = i;
            thread("turn " + i, () -> {
                synchronized (lock) {
                    while (result != me) lock.wait(); // turns
                }
            });
        }
    }

    // Who starts the stream holds what its parts want. It waits for another thread to take one: alone it would do them all.
    static void streamLock() {
        Object lock = new Object();
        AtomicBoolean isShared = new AtomicBoolean();
        synchronized (lock) {
            IntStream.range(0, 100_000).parallel().forEach(i -> {
                if (!Thread.holdsLock(lock)) isShared.set(true);
                while (!isShared.get()) Thread.yield();
                synchronized (lock) { // streamLock
                    result += i;
                }
            }); // streamLock
        }
    }

    static void upgrade() {
        ReadWriteLock lock = new ReentrantReadWriteLock();
        lock.readLock().lock();
        lock.writeLock().lock(); // upgrade
    }

    // Both sides wait for the other one to begin.
    static void bothListen() throws Exception {
        ServerSocket server = new ServerSocket(0);
        Socket client = new Socket(server.getInetAddress(), server.getLocalPort());
        Socket served = server.accept();
        thread("served", () -> result = served.getInputStream().read()); // bothListen
        result = client.getInputStream().read(); // bothListen
    }

    // By subtraction, of 0.
    static int divisor(int a, int b) {
        while (a != b) { // divisor
            if (a > b) a -= b; // divisor
            else b -= a; // divisor
        } // divisor
        return a;
    }

    // A consumer whose producer has died.
    static void pollSpin() {
        Queue<Integer> queue = new ConcurrentLinkedQueue<>();
        Integer next;
        while ((next = queue.poll()) == null) Thread.onSpinWait(); // pollSpin
        result = next;
    }

    // Boxed numbers are compared by identity.
    static void boxedCas() {
        AtomicReference<Integer> balance = new AtomicReference<>(Integer.valueOf(100_000));
        int value;
        do {
            value = balance.get(); // boxedCas
        } while (!balance.compareAndSet(value, value + 1)); // boxedCas
    }

    // A spin lock that is taken twice by one thread.
    static final class SpinLock {
        static final VarHandle OWNED;

        static {
            try {
                OWNED = MethodHandles.lookup().findVarHandle(SpinLock.class, "owned", int.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        volatile int owned;

        void lock() {
            while (!OWNED.compareAndSet(this, 0, 1)) { // spinLock
                Thread.onSpinWait(); // spinLock
            }
        }
    }

    static void spinLock() {
        SpinLock lock = new SpinLock();
        lock.lock();
        lock.lock(); // spinLock
    }

    static void replace() {
        String text = "a  b";
        while (text.contains("  ")) text = text.replace("  ", "  "); // replace
        result = text.length();
    }

    static void calendar() {
        Calendar day = new GregorianCalendar(2026, Calendar.MARCH, 1);
        Calendar end = new GregorianCalendar(2026, Calendar.APRIL, 1);
        while (day.before(end)) day.add(Calendar.DAY_OF_MONTH, 0); // calendar
    }

    // ---------------------------------------------------------------- what makes progress

    static void rateLimiter() {
        long next = System.nanoTime();
        for (long i = 0; !isOver; i++) {
            while (System.nanoTime() < next) LockSupport.parkNanos(next - System.nanoTime());
            next += 2_000_000;
            result += i;
        }
    }

    static void eventLoop() throws Exception {
        BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
        thread("source", () -> {
            for (int i = 0; !isOver; i++) {
                queue.put(i);
                Thread.sleep(300);
            }
        });
        while (!isOver) {
            Integer event = queue.poll(100, TimeUnit.MILLISECONDS);
            if (event != null) result += event;
        }
    }

    static void backoff() throws Exception {
        long pause = 10;
        while (!isOver) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", 9), 100);
                return;
            } catch (IOException e) {
                TimeUnit.MILLISECONDS.sleep(pause);
                pause = Math.min(pause * 2, 5000);
            }
        }
    }

    static void deflates() {
        byte[] from = new byte[1 << 20];
        byte[] to = new byte[1 << 21];
        Random random = new Random(1);
        for (int i = 0; i < 1_000_000; i++) {
            random.nextBytes(from);
            Deflater deflater = new Deflater(9);
            deflater.setInput(from);
            deflater.finish();
            result += deflater.deflate(to);
            deflater.end();
            CRC32 crc = new CRC32();
            crc.update(to);
            result ^= crc.getValue();
        }
    }

    static void bigSort() {
        Random random = new Random(2);
        while (!isOver) {
            List<Long> numbers = new ArrayList<>();
            for (int i = 0; i < 300_000; i++) numbers.add(random.nextLong());
            numbers.sort(Comparator.comparing((Long n) -> n % 1000).thenComparing(Comparator.naturalOrder()));
            result = numbers.get(0);
        }
    }

    static void garbage() {
        Map<Integer, List<String>> cache = new HashMap<>();
        for (int i = 0; !isOver; i++) {
            List<String> texts = new ArrayList<>();
            for (int j = 0; j < 1000; j++) texts.add("text " + (i ^ j));
            cache.put(i % 64, texts);
            result += cache.size();
        }
    }

    static void idleSchedule() {
        ScheduledExecutorService pool = Executors.newScheduledThreadPool(3);
        pool.scheduleAtFixedRate(() -> result++, 0, 1, TimeUnit.HOURS);
    }

    static void prompt() throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = lines.readLine()) != null; ) result += line.length();
    }

    static void acceptsChannel() throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open().bind(null)) {
            while (!isOver) channel.accept().close();
        }
    }

    static void casCounter() {
        AtomicLong total = new AtomicLong();
        Task adds = () -> {
            for (long i = 1; !isOver; i++) {
                long before;
                do {
                    before = total.get();
                } while (!total.compareAndSet(before, before + i % 7));
            }
        };
        thread("first", adds);
        thread("second", adds);
    }

    // A ring between two threads that never wait in the kernel.
    static final AtomicLong PUT = new AtomicLong();
    static final AtomicLong TAKEN = new AtomicLong();

    static void ring() {
        long[] ring = new long[64];
        thread("consumer", () -> {
            for (long at = 0; !isOver; at++) {
                while (PUT.get() <= at) Thread.onSpinWait();
                result += ring[(int) (at & 63)];
                TAKEN.set(at + 1);
            }
        });
        for (long at = 0; !isOver; at++) {
            while (at - TAKEN.get() >= 64) Thread.onSpinWait();
            ring[(int) (at & 63)] = at * at;
            PUT.set(at + 1);
        }
    }

    static void transfers() {
        Lock[] locks = {new ReentrantLock(), new ReentrantLock()};
        long[] accounts = {1_000_000, 1_000_000};
        for (int i = 0; i < 2; i++) {
            int from = i;
            thread("teller " + i, () -> {
                Random random = new Random(from);
                while (!isOver) {
                    if (!locks[from].tryLock()) continue;
                    try {
                        if (!locks[1 - from].tryLock()) continue;
                        try {
                            int amount = random.nextInt(100);
                            accounts[from] -= amount;
                            accounts[1 - from] += amount;
                        } finally {
                            locks[1 - from].unlock();
                        }
                    } finally {
                        locks[from].unlock();
                    }
                }
            });
        }
    }

    static void monteCarlo() {
        SplittableRandom random = new SplittableRandom(4);
        long inside = 0;
        for (long n = 1; !isOver; n++) {
            double x = random.nextDouble();
            double y = random.nextDouble();
            if (x * x + y * y < 1) inside++;
            if (n % 1_000_000 == 0) result = inside * 4_000_000 / n;
        }
    }

    static void simulation() {
        PriorityQueue<long[]> events = new PriorityQueue<>(Comparator.comparingLong((long[] event) -> event[0]));
        Random random = new Random(5);
        for (int i = 0; i < 50; i++) events.add(new long[] {random.nextInt(100), i});
        while (!events.isEmpty()) {
            long[] event = events.poll();
            result = event[0];
            events.add(new long[] {event[0] + 1 + random.nextInt(50), event[1]});
        }
    }

    static void lru() {
        Map<Integer, Integer> cache = new LinkedHashMap<>(16, 0.75f, true) {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Integer, Integer> eldest) {
                return size() > 500;
            }
        };
        Random random = new Random(6);
        while (!isOver) {
            int key = (int) Math.abs(random.nextGaussian() * 400);
            result += cache.computeIfAbsent(key, Standstill::divisors);
        }
    }

    static int divisors(int n) {
        int count = 0;
        for (int d = 1; d <= n; d++) if (n % d == 0) count++;
        return count;
    }

    static void spinUntil() throws Exception {
        while (!isOver) {
            long end = System.nanoTime() + 50_000_000;
            while (result == 0 && System.nanoTime() < end) Thread.onSpinWait();
            LockSupport.parkNanos(1_000_000);
        }
    }

    static void heartbeat() throws Exception {
        Lock lock = new ReentrantLock();
        Condition changed = lock.newCondition();
        lock.lock();
        while (!isOver) {
            if (!changed.await(200, TimeUnit.MILLISECONDS)) result++;
        }
    }

    static void wordCount() {
        String text = "the quick brown fox jumps over the lazy dog and runs away ".repeat(200);
        Map<String, Integer> counts = new TreeMap<>();
        while (!isOver) {
            for (String word : text.split("\\s+")) counts.merge(word, 1, Integer::sum);
            result = counts.get("the");
        }
    }

    static void rounds() throws Exception {
        CyclicBarrier barrier = new CyclicBarrier(3, () -> result++);
        for (int i = 0; i < 3; i++) {
            int me = i;
            thread("party " + i, () -> {
                for (int round = 0; !isOver; round++) {
                    divisors(1000 + (round * 7 + me) % 500);
                    barrier.await();
                }
            });
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("begun");
        switch (arguments[0]) {
            case "casSpin" -> casSpin();
            case "casUndo" -> casUndo();
            case "tryLockLivelock" -> tryLockLivelock();
            case "stampedSpin" -> stampedSpin();
            case "optimistic" -> optimistic();
            case "phaser" -> phaser();
            case "allOf" -> allOf();
            case "exchanger" -> exchanger();
            case "handover" -> handover();
            case "joinCircle" -> joinCircle();
            case "nestedSubmit" -> nestedSubmit();
            case "spinDone" -> spinDone();
            case "alternatives" -> alternatives();
            case "turns" -> turns();
            case "streamLock" -> streamLock();
            case "upgrade" -> upgrade();
            case "bothListen" -> bothListen();
            case "divisor" -> result = divisor(0, 5);
            case "pollSpin" -> pollSpin();
            case "boxedCas" -> boxedCas();
            case "spinLock" -> spinLock();
            case "replace" -> replace();
            case "calendar" -> calendar();

            case "rateLimiter" -> rateLimiter();
            case "eventLoop" -> eventLoop();
            case "backoff" -> backoff();
            case "deflates" -> deflates();
            case "bigSort" -> bigSort();
            case "garbage" -> garbage();
            case "idleSchedule" -> idleSchedule();
            case "prompt" -> prompt();
            case "acceptsChannel" -> acceptsChannel();
            case "casCounter" -> casCounter();
            case "ring" -> ring();
            case "transfers" -> transfers();
            case "monteCarlo" -> monteCarlo();
            case "simulation" -> simulation();
            case "lru" -> lru();
            case "spinUntil" -> spinUntil();
            case "heartbeat" -> heartbeat();
            case "wordCount" -> wordCount();
            case "rounds" -> rounds();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }
}
