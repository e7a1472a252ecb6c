import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.stream.LongStream;
import java.util.ArrayList;
import java.util.HashMap;

/**
 * CPU-bound kernels of several kinds. `list` prints their names; `run NAME N` runs one N times and
 * prints the processor time of each run in milliseconds; `threads NAME N T` runs it in T threads at
 * once and prints the wall time. What they compute is printed at the end, so that nothing is left out.
 */
public class Kernels {
    interface Kernel { long run(); }

    static long sink;

    static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

    static long sieve(int n) {
        boolean[] composite = new boolean[n];
        int primes = 0;
        for (int i = 2; i < n; i++) {
            if (!composite[i]) {
                primes++;
                for (int j = 2 * i; j < n; j += i) composite[j] = true;
            }
        }
        return primes;
    }

    static long matrix(int n) {
        double[][] a = new double[n][n], b = new double[n][n], c = new double[n][n];
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                a[i][j] = i + j;
                b[i][j] = i - j;
            }
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = 0;
                for (int k = 0; k < n; k++) sum += a[i][k] * b[k][j];
                c[i][j] = sum;
            }
        }
        return (long) c[n / 2][n / 3];
    }

    static int queens(int n, int row, int columns, int left, int right) {
        if (row == n) return 1;
        int found = 0;
        for (int i = 0; i < n; i++) {
            int c = 1 << i, l = 1 << (row + i), r = 1 << (row - i + n);
            if ((columns & c) == 0 && (left & l) == 0 && (right & r) == 0) {
                found += queens(n, row + 1, columns | c, left | l, right | r);
            }
        }
        return found;
    }

    static long mandel(int size) {
        long inside = 0;
        for (int y = 0; y < size; y++) {
            for (int x = 0; x < size; x++) {
                double cr = 3.0 * x / size - 2, ci = 2.0 * y / size - 1, zr = 0, zi = 0;
                int turns = 0;
                while (turns < 100 && zr * zr + zi * zi < 4) {
                    double next = zr * zr - zi * zi + cr;
                    zi = 2 * zr * zi + ci;
                    zr = next;
                    turns++;
                }
                inside += turns;
            }
        }
        return inside;
    }

    static long heapSort(int n) {
        int[] all = new int[n];
        int seed = 42;
        for (int i = 0; i < n; i++) {
            seed = seed * 1103515245 + 12345;
            all[i] = seed >>> 8;
        }
        for (int i = n / 2 - 1; i >= 0; i--) sink(all, i, n);
        for (int end = n - 1; end > 0; end--) {
            int swap = all[0];
            all[0] = all[end];
            all[end] = swap;
            sink(all, 0, end);
        }
        return all[n / 2];
    }

    static void sink(int[] all, int at, int end) {
        while (2 * at + 1 < end) {
            int child = 2 * at + 1;
            if (child + 1 < end && all[child + 1] > all[child]) child++;
            if (all[at] >= all[child]) return;
            int swap = all[at];
            all[at] = all[child];
            all[child] = swap;
            at = child;
        }
    }

    static long crc(int rounds) {
        byte[] bytes = new byte[4096];
        for (int i = 0; i < bytes.length; i++) bytes[i] = (byte) (i * 31);
        int crc = -1;
        for (int round = 0; round < rounds; round++) {
            for (byte value : bytes) {
                crc ^= value & 0xff;
                for (int bit = 0; bit < 8; bit++) crc = (crc & 1) != 0 ? crc >>> 1 ^ 0xedb88320 : crc >>> 1;
            }
        }
        return crc;
    }

    static long hashing(int n) {
        HashMap<Integer, Integer> counts = new HashMap<>();
        for (int i = 0; i < n; i++) {
            int key = i * 7919 % 1009;
            Integer known = counts.get(key);
            counts.put(key, known == null ? 1 : known + 1);
        }
        long sum = 0;
        for (int value : counts.values()) sum += value;
        return sum;
    }

    static long strings(int n) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < n; i++) text.append("word").append(i % 97).append(i % 5 == 0 ? '\n' : ' ');
        String all = text.toString();
        long words = 0, hash = 0;
        boolean inside = false;
        for (int i = 0; i < all.length(); i++) {
            char letter = all.charAt(i);
            if (letter == ' ' || letter == '\n') {
                inside = false;
            } else {
                if (!inside) words++;
                inside = true;
                hash = hash * 31 + letter;
            }
        }
        return words + hash;
    }

    interface Shape { double area(); }

    static final class Circle implements Shape {
        final double r;
        Circle(double r) { this.r = r; }
        public double area() { return 3.14159 * r * r; }
    }

    static final class Box implements Shape {
        final double a, b;
        Box(double a, double b) { this.a = a; this.b = b; }
        public double area() { return a * b; }
    }

    static final class Ring implements Shape {
        final Circle outer, inner;
        Ring(double a, double b) { outer = new Circle(a); inner = new Circle(b); }
        public double area() { return outer.area() - inner.area(); }
    }

    static final Shape[] SHAPES = new Shape[1000];

    static {
        for (int i = 0; i < SHAPES.length; i++) {
            SHAPES[i] = i % 3 == 0 ? new Circle(i) : i % 3 == 1 ? new Box(i, 2) : new Ring(i + 1, i);
        }
    }

    static long virtual(int rounds) {
        double sum = 0;
        for (int round = 0; round < rounds; round++) {
            for (Shape shape : SHAPES) sum += shape.area();
        }
        return (long) sum;
    }

    static final byte[] PROGRAM = { 0, 3, 1, 7, 4, 2, 5, 1, 6, 0 };

    /** A loop over a small program of a made-up machine. */
    static long interpreter(int rounds) {
        long a = 0, b = 1;
        for (int round = 0; round < rounds; round++) {
            for (int pc = 0; pc < PROGRAM.length; pc++) {
                switch (PROGRAM[pc]) {
                    case 0: a += b; break;
                    case 1: b ^= a; break;
                    case 2: a = a << 1 | a >>> 63; break;
                    case 3: if ((a & 1) == 0) pc++; break;
                    case 4: b += 7; break;
                    case 5: a -= b >> 3; break;
                    case 6: if (b < 0) b = -b; break;
                    default: a ^= 0x55;
                }
            }
        }
        return a + b;
    }

    static final class Refused extends RuntimeException {
        final int why;
        Refused(int why) { super(null, null, false, false); this.why = why; }
    }

    static final Refused REFUSED = new Refused(1);

    static int checked(int value) {
        if (value % 7 == 0) throw REFUSED;
        return value % 5;
    }

    static long exceptions(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            try {
                sum += checked(i);
            } catch (Refused refused) {
                sum -= refused.why;
            }
        }
        return sum;
    }

    static int level(int depth, int value) {
        if (depth == 0) {
            if (value % 3 == 0) throw new Refused(value);
            return value;
        }
        return level(depth - 1, value) + 1;
    }

    /** New exceptions that pass several frames. */
    static long unwinding(int n) {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            try {
                sum += level(i % 8, i);
            } catch (Refused refused) {
                sum += refused.why;
            }
        }
        return sum;
    }

    static long collections(int n) {
        ArrayList<Integer> list = new ArrayList<>();
        for (int i = 0; i < n; i++) list.add(i * 7919 % 100_003);
        list.sort((left, right) -> Integer.compare(left, right));
        return list.stream().filter(value -> value % 3 == 0).mapToLong(value -> value * 2L).sum();
    }

    static final class Tree {
        Tree left, right;
        final int key;
        Tree(int key) { this.key = key; }

        static Tree add(Tree tree, int key) {
            if (tree == null) return new Tree(key);
            if (key < tree.key) tree.left = add(tree.left, key);
            else if (key > tree.key) tree.right = add(tree.right, key);
            return tree;
        }

        int depth() {
            int l = left == null ? 0 : left.depth(), r = right == null ? 0 : right.depth();
            return 1 + Math.max(l, r);
        }
    }

    static long trees(int n) {
        Tree root = null;
        for (int i = 0; i < n; i++) root = Tree.add(root, i * 7919 % 10_007);
        return root.depth();
    }

    static final String[] NAMES = {
        "arithmetic", "sieve", "matrix", "crc", "sort", "queens", "fib", "hashing", "strings", "virtual",
        "interpreter", "exceptions", "unwinding", "collections", "trees",
    };

    static Kernel kernel(String name) {
        switch (name) {
            case "arithmetic": return () -> mandel(160);
            case "sieve": return () -> sieve(400_000);
            case "matrix": return () -> matrix(120);
            case "crc": return () -> crc(20);
            case "sort": return () -> heapSort(30_000);
            case "queens": return () -> queens(8, 0, 0, 0, 0);
            case "fib": return () -> fib(27);
            case "hashing": return () -> hashing(300_000);
            case "strings": return () -> strings(60_000);
            case "virtual": return () -> virtual(800);
            case "interpreter": return () -> interpreter(60_000);
            case "exceptions": return () -> exceptions(1_000_000);
            case "unwinding": return () -> unwinding(100_000);
            case "collections": return () -> collections(20_000);
            case "trees": return () -> trees(20_000);
            default: throw new IllegalArgumentException(name);
        }
    }

    static void once(Kernel kernel, int times) {
        for (int i = 0; i < times; i++) sink += kernel.run();
    }

    public static void main(String[] arguments) throws Exception {
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        String line;
        while ((line = lines.readLine()) != null) {
            String[] words = line.split(" ");
            StringBuilder answer = new StringBuilder();
            if (words[0].equals("list")) {
                answer.append(String.join(" ", NAMES));
            } else if (words[0].equals("run")) {
                Kernel kernel = kernel(words[1]);
                for (int i = Integer.parseInt(words[2]); i > 0; i--) {
                    long began = clock.getCurrentThreadCpuTime();
                    sink += kernel.run();
                    answer.append((clock.getCurrentThreadCpuTime() - began) / 1e6).append(' ');
                }
            } else {
                Kernel kernel = kernel(words[1]);
                int times = Integer.parseInt(words[2]);
                Thread[] threads = new Thread[Integer.parseInt(words[3])];
                long[] ran = new long[threads.length];
                long began = System.nanoTime();
                for (int i = 0; i < threads.length; i++) {
                    int number = i;
                    threads[i] = new Thread(() -> {
                        once(kernel, times);
                        ran[number] = clock.getCurrentThreadCpuTime();
                    });
                    threads[i].start();
                }
                for (Thread thread : threads) thread.join();
                answer.append((System.nanoTime() - began) / 1e6);
                answer.append(' ').append(LongStream.of(ran).average().orElse(0) / 1e6);
            }
            System.out.println(answer.toString().trim());
        }
        System.err.println(sink);
    }
}
