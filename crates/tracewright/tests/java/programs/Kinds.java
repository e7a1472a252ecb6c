import java.util.ArrayList;
import java.util.List;

/** One of each kind of thing that a recorder must see. */
public class Kinds {
    interface Shape { int area(); }
    record Square(int side) implements Shape { public int area() { return side * side; } }
    static class Lazy {
        static final int VALUE;
        static { int sum = 0; for (int i = 0; i < 3; i++) sum += i; VALUE = sum; }
    }
    static class Child extends Kinds {
        final int x;
        Child(int x) { this.x = check(x); }
        Child() { this(parse("no number")); }
        static int parse(String text) { return Integer.parseInt(text); }
    }
    static int check(int x) { if (x < 0) throw new IllegalArgumentException("x"); return x; }

    static int factorial(int n) {
        return n <= 1 ? 1 : n * factorial(n - 1);
    }
    static int loops(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            for (int j = i; j < n; j++) {
                if ((i + j) % 2 == 0) continue;
                sum += j;
            }
        }
        return sum;
    }
    static String pick(int n) {
        switch (n) {
            case 1: return "one";
            case 2: return "two";
            default: return "many";
        }
    }
    static int deep(int n) {
        if (n == 0) throw new IllegalStateException("bottom");
        return deep(n - 1) + 1;
    }
    static int guarded(int[] array, int index) {
        try {
            return array[index];
        } catch (ArrayIndexOutOfBoundsException e) {
            return -1;
        } finally {
            check(0);
        }
    }
    static void sorted() {
        List<Integer> list = new ArrayList<>(List.of(3, 1, 2));
        list.sort((a, b) -> compare(a, b));
        System.out.println(list);
    }
    static int compare(int a, int b) { return a - b; }

    public static void main(String[] args) throws Exception {
        System.out.println(factorial(3));
        System.out.println(loops(3));
        System.out.println(pick(1) + pick(7));
        System.out.println(Lazy.VALUE);
        try { deep(2); } catch (IllegalStateException e) { System.out.println(e.getMessage()); }
        System.out.println(guarded(new int[1], 0) + guarded(new int[1], 1));
        try { new Child(); } catch (NumberFormatException e) { System.out.println("nfe"); }
        System.out.println(new Child(4).x);
        Shape shape = new Square(5);
        System.out.println(shape.area());
        sorted();
        Thread thread = new Thread(() -> System.out.println(factorial(2)), "worker");
        thread.start();
        thread.join(); System.out.println(Heir.read(3));
        System.exit(7);
    }

    /** Initialised when its constant is first read, although who reads it names a class that is long there. */
    interface Late { int SET = check(2); }
    static class Heir implements Late {
        static int read(int n) { if (n > 2) n--; return SET + n; }
    }
}
