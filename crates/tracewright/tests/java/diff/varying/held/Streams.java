import java.util.*;
import java.util.stream.*;

/** Parallel streams: where they are split and who runs which part is open. */
public class Streams {
    static boolean isGood(int number) {
        for (int by = 2; by * by <= number; by++) {
            if (number % by == 0) return false;
        }
        return number > 1;
    }

    static class Stats {
        int count;
        long sum;

        void add(int number) {
            count++;
            sum += number;
        }

        void merge(Stats other) {
            if (other.count == 0) return;
            count += other.count;
            sum += other.sum;
        }
    }

    public static void main(String[] arguments) {
        Stats stats = IntStream.range(0, 800).parallel().filter(Streams::isGood)
            .collect(Stats::new, Stats::add, Stats::merge);
        Optional<Integer> any = IntStream.range(500, 900).boxed().parallel().filter(Streams::isGood).findAny();
        Map<Integer, Long> ends = IntStream.range(0, 300).boxed().parallel()
            .collect(Collectors.groupingBy(number -> number % 10, Collectors.counting()));
        if (stats.count != 139 || any.isEmpty() || ends.size() != 10) throw new IllegalStateException();
    }
}
