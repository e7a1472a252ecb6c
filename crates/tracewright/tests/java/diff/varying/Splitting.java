import java.util.concurrent.*;

/** Fork and join: who steals what is a matter of chance. */
public class Splitting {
    static class Sum extends RecursiveTask<Long> {
        final int from, to;

        Sum(int from, int to) {
            this.from = from;
            this.to = to;
        }

        protected Long compute() {
            if (to - from < 50) return few();
            int middle = (from + to) / 2;
            Sum left = new Sum(from, middle), right = new Sum(middle, to);
            left.fork();
            long sum = right.compute();
            return sum + (left.tryUnfork() ? left.compute() : left.join());
        }

        long few() {
            long sum = 0;
            for (int i = from; i < to; i++) sum += weight(i);
            return sum;
        }
    }

    static int weight(int i) {
        int turns = 0;
        while (i > 1) {
            i = i % 2 == 0 ? i / 2 : 3 * i + 1;
            turns++;
        }
        return turns;
    }

    public static void main(String[] arguments) throws Exception {
        ForkJoinPool pool = new ForkJoinPool(3);
        long sum = pool.invoke(new Sum(1, 2000));
        if (sum < 0) throw new IllegalStateException();
        pool.shutdown();
    }
}
