import java.util.*;
import java.util.concurrent.*;

/** A pool of workers that count words of pages into one map. */
public class Pool {
    static final ConcurrentHashMap<String, Integer> counts = new ConcurrentHashMap<>();

    static String word(int page, int at) {
        int code = (page * 131 + at * 17) % 23;
        return code < 10 ? "w" + code : code < 20 ? "long" + code : "rare";
    }

    static int count(int page) {
        int found = 0;
        for (int at = 0; at < 20 + page % 9; at++) {
            String word = word(page, at);
            if (word.equals("rare")) found++;
            add(word);
        }
        return found;
    }

    static void add(String word) {
        Integer was = counts.putIfAbsent(word, 1);
        while (was != null) {
            if (counts.replace(word, was, was + 1)) return;
            was = counts.get(word);
        }
    }

    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(4);
        List<Future<Integer>> all = new ArrayList<>();
        for (int page = 0; page < 80; page++) {
            int number = page;
            all.add(pool.submit(() -> count(number)));
        }
        int rare = 0;
        for (Future<Integer> one : all) rare += one.get();
        pool.shutdown();
        if (rare == 0) throw new IllegalStateException();
    }
}
