import java.io.InputStream;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Ways that end in the middle: memory is used up, or a recording ends or begins while methods are open. */
public class Edges {
    static int one(int n) {
        int before = n * 2;
        byte[] huge = new byte[n < 100 ? Integer.MAX_VALUE : 1];
        return before + huge.length;
    }

    static int inLoop(int n) {
        int sum = 0;
        for (int i = 0; i < n; i++) {
            sum += i;
            if (i == 3) {
                long[] huge = new long[1 << 27];
                sum += huge.length;
            }
        }
        return sum;
    }

    static int guarded(int n) {
        int got = 0;
        for (int turn = 0; turn < n; turn++) {
            try {
                got += turn % 2 == 0 ? one(turn) : inLoop(turn + 3);
            } catch (OutOfMemoryError e) {
                got += 100;
            } finally {
                got++;
            }
        }
        return got;
    }

    static int full(int n) {
        return IntStream.range(0, n).map(Edges::guarded).sum() + one(100);
    }

    static int through(int depth, InputStream in, IntUnaryOperator rest) throws Exception {
        return IntStream.of(depth).map(rest).sum() + in.available();
    }

    static int hold(int depth, InputStream in) throws Exception {
        int seen = depth;
        for (int i = 0; i < 3; i++) {
            seen += i;
            if (i == 1) {
                if (depth == 0) {
                    seen += in.read();
                } else if (depth == 2) {
                    seen += through(depth, in, x -> {
                        try {
                            return hold(x - 1, in);
                        } catch (Exception e) {
                            return -1;
                        }
                    });
                } else {
                    seen += hold(depth - 1, in);
                }
            }
        }
        return seen;
    }

    public static void main(String[] args) throws Exception {
        System.out.println(full(5));
        System.out.println(hold(3, new Asking()));
    }

    /**
     * Says {@code held} once its caller waits. It is left out of the recording: were it the caller that said
     * so, how far the caller then came until it was stopped would be left to chance.
     */
    static class Asking extends InputStream {
        @Override
        public int read() throws java.io.IOException {
            System.out.println("held");
            return System.in.read();
        }
    }
}
