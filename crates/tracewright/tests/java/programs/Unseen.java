import java.io.*;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.atomic.*;
import java.util.concurrent.locks.*;

/**
 * Programs that make no progress and programs that do, most of them written after the analysis and run before anything was changed for
 * them. The lines that are to be named of the former end with the argument as a comment.
 */
public final class Unseen {
    static volatile boolean isOver;
    static volatile long result;

    // Sets that point to one another in a circle, so the root is never found.
    static int root(int[] parent, int of) {
        while (parent[of] != of) { // parentCycle
            of = parent[of]; // parentCycle
        } // parentCycle
        return of;
    }

    static void parentCycle() {
        int[] parent = new int[64];
        for (int i = 0; i < parent.length; i++) parent[i] = i / 2;
        parent[3] = 25;
        parent[25] = 3;
        result = root(parent, 50);
    }

    // Two threads, each of which undoes what the other one has done.
    static final AtomicInteger LEVEL = new AtomicInteger(5);

    static void wants(int level) {
        while (LEVEL.get() != 10) { // swaps
            int now = LEVEL.get(); // swaps
            int next = now < level ? now + 1 : now > level ? now - 1 : now; // swaps
            LEVEL.compareAndSet(now, next); // swaps
        } // swaps
    }

    static void swaps() {
        Thread low = new Thread(() -> wants(4), "low");
        low.start();
        wants(6);
    }

    // What is needed by what, in a circle. How deep the recursion comes before the stack is full differs each time, and the error is caught.
    static final int[] NEEDED = {1, 2, 0};

    static int needs(int at) {
        return at < 0 ? 0 : 1 + needs(NEEDED[at]); // retries
    }

    static final class Item {
        @Override
        public int hashCode() {
            return needs(0); // retries
        }
    }

    static void retries() throws InterruptedException {
        Object[] nested = new Object[40];
        for (int i = 0; i < nested.length; i++) nested[i] = i == 0 ? new Item() : List.of(nested[i - 1]);
        Random random = new Random(5);
        Runnable tries = () -> {
            while (result == 0) { // retries
                try { // retries
                    result = nested[random.nextInt(nested.length)].hashCode(); // retries
                } catch (StackOverflowError error) { // retries
                    // Once more.
                }
            } // retries
        };
        Thread small = new Thread(null, tries, "small", 1 << 18);
        small.start();
        small.join();
    }

    // Two states, each of which leads to the other one. Who made them looks now and then whether that has ended.
    static class State {
        State other;
        int token = 7;

        State next() {
            return token > 0 ? other : this; // oscillates
        }
    }

    static void oscillates() throws Exception {
        State one = new State();
        State two = new State();
        one.other = two;
        two.other = one;
        Thread turns = new Thread(() -> turn(one), "turns");
        turns.start();
        while (turns.isAlive()) turns.join(1000);
    }

    static void turn(State state) {
        while (state != null) { // oscillates
            state = state.next(); // oscillates
        } // oscillates
    }

    // Whatever is taken out of the queue is put back twice, now and then.
    static void requeue() {
        Deque<int[]> queue = new ArrayDeque<>();
        queue.add(new int[] {1});
        long at = 0;
        while (!queue.isEmpty()) { // requeue
            int[] task = queue.poll(); // requeue
            task[0] = task[0] * 31 + 7; // requeue
            queue.add(task); // requeue
            if (at++ % 100_000 == 0) queue.add(new int[] {(int) at}); // requeue
        } // requeue
    }

    // A table with no free place, in which a key is looked for that is not there.
    static int place(int[] keys, int key) {
        int at = key % keys.length;
        while (keys[at] != 0 && keys[at] != key) at = (at + 1) % keys.length; // fullTable
        return at;
    }

    static void fullTable() {
        int[] keys = new int[97];
        for (int key = 1; key <= keys.length; key++) keys[place(keys, key)] = key;
        result = place(keys, 1000);
    }

    // Who reads wants to write, and waits for its own reading to end.
    static void upgrade() {
        ReadWriteLock lock = new ReentrantReadWriteLock();
        lock.readLock().lock();
        lock.writeLock().lock(); // upgrade
        lock.writeLock().unlock();
    }

    // ---------------------------------------------------------------- what makes progress

    static void parks() {
        Random random = new Random(11);
        while (!isOver) {
            TreeMap<Integer, Integer> sales = new TreeMap<>();
            for (int i = 0; i < 20_000; i++) sales.merge(random.nextInt(1000), 1, Integer::sum);
            result += sales.lastKey();
            LockSupport.parkNanos(700_000_000);
        }
    }

    static void polls() throws InterruptedException {
        AtomicLong progress = new AtomicLong();
        Thread worker = new Thread(() -> {
            long seed = 1;
            while (!isOver) {
                for (int i = 0; i < 50_000; i++) seed = seed * 6364136223846793005L + 1442695040888963407L;
                result = seed;
                progress.incrementAndGet();
            }
        }, "worker");
        worker.setDaemon(true);
        worker.start();
        long last = -1;
        while (progress.get() < Long.MAX_VALUE) {
            if (progress.get() != last) last = progress.get();
            Thread.sleep(10);
        }
    }

    static final Object SHELF = new Object();
    static final ArrayDeque<Integer> LOAVES = new ArrayDeque<>();

    static void shelf() throws InterruptedException {
        Thread baker = new Thread(() -> {
            try {
                for (int loaf = 0; !isOver; loaf++) {
                    Thread.sleep(5);
                    synchronized (SHELF) {
                        while (LOAVES.size() >= 8) SHELF.wait();
                        LOAVES.add(loaf);
                        SHELF.notifyAll();
                    }
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }, "baker");
        baker.start();
        while (!isOver) {
            synchronized (SHELF) {
                while (LOAVES.isEmpty()) SHELF.wait();
                result += LOAVES.poll();
                SHELF.notifyAll();
            }
        }
    }

    static void life() {
        int size = 96;
        boolean[][] cells = new boolean[size][size];
        Random random = new Random(5);
        for (boolean[] row : cells) for (int i = 0; i < size; i++) row[i] = random.nextInt(3) == 0;
        while (!isOver) {
            boolean[][] next = new boolean[size][size];
            for (int y = 0; y < size; y++) {
                for (int x = 0; x < size; x++) {
                    int count = 0;
                    for (int dy = -1; dy <= 1; dy++)
                        for (int dx = -1; dx <= 1; dx++)
                            if ((dx != 0 || dy != 0) && cells[(y + dy + size) % size][(x + dx + size) % size]) count++;
                    next[y][x] = count == 3 || count == 2 && cells[y][x];
                }
            }
            cells = next;
            result++;
        }
    }

    static void words() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 3000; i++) text.append("word").append(i % 97).append(i % 7 == 0 ? "\n" : " ");
        while (!isOver) {
            Map<String, Integer> counts = new HashMap<>();
            BufferedReader reader = new BufferedReader(new StringReader(text.toString()));
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                for (String word : line.split(" ")) counts.merge(word, 1, Integer::sum);
            }
            result += counts.size();
            text.append("more").append(result).append('\n');
        }
    }

    // A parser that calls itself, once for each of many files: its loop has no bound, but each file ends.
    static final class Lists {
        final String text;
        int position;
        long sum;

        Lists(String text) {
            this.text = text;
        }

        void list() {
            position++;
            while (text.charAt(position) != ']') {
                char next = text.charAt(position);
                if (next == '[') {
                    list();
                } else {
                    if (next != ',') sum = sum * 31 + next;
                    position++;
                }
            }
            position++;
        }
    }

    static void files() {
        String text = "[" + "[1,22,[333,4]],".repeat(2_000) + "]";
        for (int file = 0; file < 10_000_000; file++) {
            Lists lists = new Lists(text);
            lists.list();
            result += lists.sum;
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("begun");
        switch (arguments[0]) {
            case "parentCycle" -> parentCycle();
            case "swaps" -> swaps();
            case "requeue" -> requeue();
            case "oscillates" -> oscillates();
            case "retries" -> retries();
            case "fullTable" -> fullTable();
            case "upgrade" -> upgrade();

            case "parks" -> parks();
            case "polls" -> polls();
            case "shelf" -> shelf();
            case "life" -> life();
            case "words" -> words();
            case "files" -> files();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }
}
