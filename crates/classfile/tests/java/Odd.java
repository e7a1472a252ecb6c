import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.function.IntBinaryOperator;
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** A program of odd shapes. It prints what it computes; inserted code must not change a letter. */
public class Odd {
    @Target(ElementType.TYPE_USE)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Marked {
        String[] value() default {};
        int number() default 0;
    }

    record Point(int x, int y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x " + x);
            }
        }

        double length() {
            return Math.sqrt(x * x + y * y);
        }
    }

    sealed interface Shape permits Circle, Square {}

    record Circle(double radius) implements Shape {}

    record Square(double side) implements Shape {}

    enum Colour {
        RED, GREEN { int weight() { return 7; } }, BLUE;

        int weight() {
            return ordinal();
        }
    }

    static int tables(int n) {
        int sum = 0;
        for (int i = -3; i < n; i++) {
            switch (i % 7) {
                case 0: sum += 1;
                case 1: sum += 2; break;
                case 2: continue;
                case -1: case -2: sum -= 5; break;
                case 5: if (sum > 1000) { return sum; }
                default: sum += i;
            }
            switch (i * 1_000_003) {
                case 0: sum ^= 1; break;
                case 3_000_009: sum ^= 2; break;
                case -2_000_006: sum ^= 4; break;
                case Integer.MAX_VALUE: sum = 0;
            }
        }
        return sum;
    }

    static String words(String word) {
        switch (word) {
            case "Aa": return "first";
            case "BB": return "same hash";
            case "": return "empty";
            default: return switch (word.length()) {
                case 1, 2 -> "short";
                case 3 -> {
                    String reversed = new StringBuilder(word).reverse().toString();
                    yield reversed.equals(word) ? "palindrome" : reversed;
                }
                default -> throw new IllegalStateException(word);
            };
        }
    }

    static int depth;

    static int tries(int n) {
        int trace = 1;
        for (int i = 0; i < n; i++) {
            try {
                trace = trace * 31 + i;
                try {
                    if (i % 3 == 0) {
                        throw new IllegalStateException("a" + i);
                    }
                    if (i % 5 == 0) {
                        continue;
                    }
                    Object[] array = new Object[i % 4];
                    array[2] = i % 7 == 0 ? null : "x";
                    trace += array[2].hashCode();
                } catch (ArrayIndexOutOfBoundsException | NullPointerException caught) {
                    trace ^= 0x55;
                    if (i == 13) {
                        break;
                    }
                } finally {
                    trace += 3;
                    try {
                        trace /= i % 4 == 0 ? 0 : 1;
                    } catch (ArithmeticException caught) {
                        trace -= 1;
                    }
                }
            } catch (IllegalStateException caught) {
                trace += caught.getMessage().length();
                depth++;
            } finally {
                depth += trace & 1;
            }
        }
        return trace;
    }

    @SuppressWarnings("finally")
    static int swallowed(int n) {
        while (true) {
            try {
                try {
                    if (n > 2) {
                        return n / (n - 3);
                    }
                    throw new Error("lost");
                } finally {
                    n++;
                    if (n == 4) {
                        continue;
                    }
                }
            } catch (ArithmeticException caught) {
                return -n;
            } finally {
                if (n > 6) {
                    return 66;
                }
            }
        }
    }

    static class Resource implements AutoCloseable {
        final String name;

        Resource(String name) {
            this.name = name;
        }

        @Override
        public void close() {
            if (name.equals("bad")) {
                throw new IllegalStateException("close " + name);
            }
        }
    }

    static String resources(String first, String second) {
        try (Resource a = new Resource(first); Resource b = new Resource(second)) {
            if (a.name.equals(b.name)) {
                throw new RuntimeException("same");
            }
            return a.name + b.name;
        } catch (RuntimeException caught) {
            return caught.getMessage() + Arrays.toString(caught.getSuppressed());
        }
    }

    static final Object LOCK = new Object();
    static int guarded;

    static int locks(int n) {
        synchronized (LOCK) {
            for (int i = 0; i < n; i++) {
                synchronized (Odd.class) {
                    if (i == 7) {
                        return guarded;
                    }
                    try {
                        guarded += 10 / (i - 3);
                    } catch (ArithmeticException caught) {
                        guarded++;
                    }
                }
            }
        }
        return -guarded;
    }

    static synchronized int lockedMethod(int n) {
        return n == 0 ? guarded : lockedMethod(n - 1) + 1;
    }

    /** Objects that are not initialized while the code branches, also in loops. */
    static String raw(int n) {
        String text = "";
        for (int i = 0; i < n; i++) {
            text += new StringBuilder(i % 2 == 0 ? "even" : i % 3 == 0 ? "three" : String.valueOf(i)).append(
                new String(new char[] {i > 2 ? 'a' : 'b', (char) ('c' + (i & 1))})).length();
        }
        do {
            text = new String(text + (n > 3 ? new StringBuilder(n > 4 ? "x" : "y") : "z"));
        } while (--n > 0);
        return text;
    }

    static class Base {
        final String text;

        Base(String text, int... more) {
            this.text = text + more.length;
        }
    }

    /** Constructors with branches, allocations and exceptions before super() and this(). */
    static class Derived extends Base {
        int value = 5;

        Derived(int n) {
            super(n > 0 ? n > 5 ? new String("big") : "small" : new StringBuilder("none").toString(), n, n == 1 ? 2 : 3);
            value += n;
        }

        Derived(String number) {
            this(number.isEmpty() ? 0 : Integer.parseInt(number));
            if (value > 100) {
                throw new IllegalArgumentException(number);
            }
        }

        @Override
        public String toString() {
            class Local {
                int twice() {
                    return value * 2;
                }
            }
            return text + new Local().twice();
        }
    }

    static int lambdas(int n) {
        IntUnaryOperator add = x -> x > 2 ? x + n : x;
        IntBinaryOperator max = Math::max;
        Supplier<List<Integer>> made = ArrayList::new;
        Function<Integer, Function<Integer, Integer>> curried = a -> b -> a * b - n;
        List<Integer> list = made.get();
        IntStream.range(0, n).map(add).forEach(list::add);
        list.sort((a, b) -> b % 3 - a % 3);
        Runnable counted = new Runnable() {
            int runs;

            @Override
            public void run() {
                depth += ++runs;
            }
        };
        list.forEach(each -> counted.run());
        return list.stream().collect(Collectors.summingInt(x -> curried.apply(x).apply(2)))
            + max.applyAsInt(n, 3) + list.hashCode();
    }

    static double shapes(Object object) {
        if (object instanceof Circle circle && circle.radius() > 1) {
            return circle.radius() * 3;
        }
        return object instanceof Square square ? square.side() * square.side() : -1;
    }

    static <T extends Comparable<T>> @Marked T best(List<@Marked("element") ? extends T> list) {
        @Marked(number = 3) T best = null;
        for (@Marked T each : list) {
            if (best == null || each.compareTo(best) > 0) {
                best = (@Marked({"a", "b"}) T) each;
            }
        }
        Supplier<Object> maker = @Marked Object::new;
        if (maker.get() instanceof @Marked String text) {
            return null;
        }
        try {
            return new @Marked ArrayList<@Marked T>(list).get(list.size() * 2);
        } catch (@Marked IndexOutOfBoundsException caught) {
            return best;
        }
    }

    static long numbers(int n, long m, double d, float f) {
        long sum = m;
        outer:
        for (int i = 0; i < n; i++) {
            int j = i;
            while (true) {
                sum += (long) (d * j) ^ (long) f << (j & 7);
                if (j-- < 0) {
                    continue outer;
                }
                if (sum % 1013 == 7) {
                    break outer;
                }
                d = d > 1e6 ? d % 17 : d * 1.5 + (f > 3 ? f : -f);
                f -= i;
            }
        }
        return sum;
    }

    static int recursion(int n) {
        try {
            return n <= 0 ? 10 / n : recursion(n - 1) + recursion(n - 2);
        } catch (ArithmeticException caught) {
            if (n == 0) {
                return 1;
            }
            throw caught;
        }
    }

    static int overflow(int n) {
        return overflow(n + 1) + 1;
    }

    static Iterator<Integer> counter(int end) {
        return new Iterator<>() {
            int at;

            @Override
            public boolean hasNext() {
                return at < end;
            }

            @Override
            public Integer next() {
                return at++;
            }
        };
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println(tables(50) + " " + tables(-10));
        for (String word : new String[] {"Aa", "BB", "", "ab", "aba", "abc", "abcd"}) {
            try {
                System.out.println(words(word));
            } catch (IllegalStateException caught) {
                System.out.println(caught);
            }
        }
        System.out.println(tries(40) + " " + depth + " " + swallowed(3) + " " + swallowed(9));
        System.out.println(resources("a", "b") + resources("a", "bad") + resources("bad", "bad"));
        System.out.println(locks(3) + " " + locks(20) + " " + lockedMethod(5));
        System.out.println(raw(9) + raw(1));
        for (String number : new String[] {"", "3", "8", "99", "x"}) {
            try {
                System.out.println(new Derived(number));
            } catch (IllegalArgumentException caught) {
                System.out.println(caught);
            }
        }
        System.out.println(lambdas(12));
        System.out.println(shapes(new Circle(2)) + shapes(new Circle(1)) + shapes(new Square(3)) + shapes("x"));
        System.out.println(best(List.of(3, 9, 4)) + best(List.of("a", "c", "b")));
        System.out.println(numbers(30, 5L, 1.25, 9f));
        try {
            System.out.println(recursion(9));
        } catch (ArithmeticException caught) {
            System.out.println(caught);
        }
        try {
            overflow(0);
        } catch (StackOverflowError caught) {
            System.out.println("overflow");
        }
        try {
            new Point(-1, 2);
        } catch (IllegalArgumentException caught) {
            System.out.println(caught.getMessage() + new Point(3, 4).length() + new Point(1, 2));
        }
        for (Colour colour : Colour.values()) {
            switch (colour) {
                case GREEN -> System.out.println(colour.weight());
                case BLUE -> System.out.println("blue" + Colour.valueOf("RED").weight());
                default -> { assert colour == Colour.RED : colour; }
            }
        }
        int sum = 0;
        for (Iterator<Integer> each = counter(2000); each.hasNext();) {
            sum += each.next() % 3 == 0 ? tables(9) : 1;
        }
        System.out.println(sum);
        Thread[] threads = new Thread[4];
        int[] results = new int[threads.length];
        for (int i = 0; i < threads.length; i++) {
            int number = i;
            threads[i] = new Thread(() -> results[number] = tables(20 + number) + (int) raw(number + 1).length());
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
        }
        System.out.println(Arrays.toString(results));
        StackTraceElement here = new Throwable().getStackTrace()[0];
        System.out.println(here);
        for (java.lang.reflect.Method method : Point.class.getDeclaredMethods()) {
            if (method.getName().equals("length")) {
                System.out.println(method.invoke(new Point(6, 8)));
            }
        }
    }
}
