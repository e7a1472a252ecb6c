import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** How deep recursions of several kinds get in threads of several kinds. */
public class Deep {
    interface Kind {
        int go(int depth);
    }

    static int depth;

    static int plain(int n) {
        depth = n;
        return plain(n + 1) + 1;
    }

    static int branch(int n) {
        depth = n;
        return (n & 1) == 0 ? branch(n + 1) + 1 : branch(n + 1) + 2;
    }

    static int guarded(int n) {
        try {
            depth = n;
            return guarded(n + 1) + 1;
        } finally {
            if (n < 0) {
                depth--;
            }
        }
    }

    static int loops(int n) {
        depth = n;
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += i;
        }
        sum += loops(n + 1);
        for (int i = 0; i < sum; i++) {
            sum--;
        }
        return sum;
    }

    static int ping(int n) {
        depth = n;
        return pong(n + 1);
    }

    static int pong(int n) {
        depth = n;
        return ping(n + 1);
    }

    static String deepest(String thread, int count, int attempts) {
        String[] names = { "plain", "branch", "guarded", "loops", "ping" };
        Kind[] kinds = { Deep::plain, Deep::branch, Deep::guarded, Deep::loops, Deep::ping };
        StringBuilder said = new StringBuilder();
        for (int kind = 0; kind < count; kind++) {
            int best = 0;
            for (int i = 0; i < attempts; i++) {
                try {
                    kinds[kind].go(0);
                } catch (StackOverflowError e) {
                    best = Math.max(best, depth);
                }
            }
            said.append(thread).append('.').append(names[kind]).append(' ').append(best).append('\n');
        }
        return said.toString();
    }

    /** Says how many kinds of recursion, how many attempts of each, and whether in other threads as well. */
    public static void main(String[] args) throws Exception {
        int count = Integer.parseInt(args[0]);
        int attempts = Integer.parseInt(args[1]);
        System.out.print(deepest("main", count, attempts));
        if (args.length > 2) {
            Thread thread = new Thread(() -> System.out.print(deepest("thread", count, attempts)));
            thread.start();
            thread.join();
            ExecutorService executor = Executors.newFixedThreadPool(1);
            System.out.print(executor.submit(() -> deepest("executor", count, attempts)).get());
            executor.shutdown();
        }
    }
}
