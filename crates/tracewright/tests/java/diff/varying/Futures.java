import java.util.*;
import java.util.concurrent.*;

/** Futures that race: the first of three answers wins, and late ones are dropped. */
public class Futures {
    static int work(int seed) {
        int sum = seed;
        for (int i = 0; i < 200 + seed % 7; i++) {
            sum = sum * 31 + i;
            if ((sum & 15) == 3) sum ^= i;
        }
        return sum;
    }

    static int ask(String name, int question) {
        if (question % 3 == 0) Thread.yield();
        return work(question + name.length());
    }

    static String answer(ExecutorService pool, int question) throws Exception {
        List<CompletableFuture<String>> all = new ArrayList<>();
        for (String name : new String[] {"one", "second", "the third"}) {
            all.add(CompletableFuture.supplyAsync(() -> name + ask(name, question), pool));
        }
        Object first = CompletableFuture.anyOf(all.toArray(new CompletableFuture[0])).get();
        int late = 0;
        for (CompletableFuture<String> one : all) {
            if (!one.isDone()) {
                late++;
                one.cancel(false);
            }
        }
        return first + ":" + late;
    }

    public static void main(String[] arguments) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(3);
        Map<String, Integer> wins = new TreeMap<>();
        for (int question = 0; question < 60; question++) {
            String name = answer(pool, question).replaceAll("[-0-9].*", "");
            wins.merge(name, 1, Integer::sum);
        }
        pool.shutdown();
        pool.awaitTermination(10, TimeUnit.SECONDS);
    }
}
