import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.atomic.AtomicIntegerArray;

/** Counts by number; inserted code calls it. Runs another class's main and writes the counts. */
public class Tally {
    private static final AtomicIntegerArray COUNTS = new AtomicIntegerArray(1 << 20);

    public static void hits(int number) {
        COUNTS.incrementAndGet(number);
    }

    /** What a call asks first, which is recorded only then. */
    public static int answer(int number) {
        return Integer.getInteger("answer");
    }

    public static void caught(Throwable thrown) {
        if (thrown == null) {
            throw new AssertionError("nothing was caught");
        }
    }

    public static void main(String[] arguments) throws Throwable {
        try {
            Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) new String[0]);
        } finally {
            try (PrintWriter out = new PrintWriter(arguments[1])) {
                for (int number = 0; number < COUNTS.length(); number++) {
                    out.println(COUNTS.get(number));
                }
            } catch (IOException broken) {
                throw new AssertionError(broken);
            }
        }
    }
}
