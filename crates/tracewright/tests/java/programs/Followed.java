import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RecursiveTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Tasks that go from thread to thread, handed over outside of `serve`, inside, and outside again. */
public class Followed {
    static final ExecutorService POOL = Executors.newFixedThreadPool(2);
    static final ScheduledExecutorService LATER = Executors.newScheduledThreadPool(1);
    static final ForkJoinPool FORKS = new ForkJoinPool(2);
    static final AtomicInteger DONE = new AtomicInteger();
    static CountDownLatch left;

    static void executed() { DONE.incrementAndGet(); left.countDown(); }
    static int submitted() { return DONE.incrementAndGet(); }
    static int scheduled() { return DONE.incrementAndGet(); }
    static int submittedToForks() { return DONE.incrementAndGet(); }
    static void run() { DONE.incrementAndGet(); }
    static int supplied() { return DONE.incrementAndGet(); }
    static int applied(int before) { DONE.incrementAndGet(); return before; }
    static void accepted(int before) { DONE.incrementAndGet(); }
    static void failed() { DONE.incrementAndGet(); throw new IllegalStateException("on purpose"); }
    static void passedOn() { DONE.incrementAndGet(); left.countDown(); }
    static void passesOn() { DONE.incrementAndGet(); POOL.execute(Followed::passedOn); }
    static void virtual() { DONE.incrementAndGet(); left.countDown(); }

    static class Halves extends RecursiveTask<Integer> {
        final int size;
        Halves(int size) { this.size = size; }
        @Override protected Integer compute() {
            DONE.incrementAndGet();
            if (size == 1) return 1;
            Halves left = new Halves(size / 2), right = new Halves(size - size / 2);
            left.fork();
            return right.compute() + left.join();
        }
    }

    static void handOver() throws Exception {
        left = new CountDownLatch(4);
        POOL.execute(Followed::executed);
        POOL.submit((Callable<Integer>) Followed::submitted).get();
        LATER.schedule((Callable<Integer>) Followed::scheduled, 5, TimeUnit.MILLISECONDS).get();
        FORKS.submit((Callable<Integer>) Followed::submittedToForks).get();
        FORKS.submit(new Halves(8)).get();
        CompletableFuture.runAsync(Followed::run).get();
        CompletableFuture.supplyAsync(Followed::supplied, POOL)
            .thenApplyAsync(Followed::applied).thenAcceptAsync(Followed::accepted, FORKS).get();
        POOL.execute(Followed::failed);
        POOL.execute(Followed::passesOn);
        Runnable virtual = Followed::virtual;
        try {
            Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, virtual);
        } catch (NoSuchMethodException older) {
            left.countDown();
        }
        left.await();
    }

    static void serve() throws Exception { handOver(); }

    public static void main(String[] arguments) throws Exception {
        Thread.setDefaultUncaughtExceptionHandler((thread, failure) -> left.countDown());
        for (int round = 0; round < 3; round++) handOver();
        serve();
        for (int round = 0; round < 3; round++) handOver();
        POOL.shutdown();
        LATER.shutdown();
        boolean ended = POOL.awaitTermination(9, TimeUnit.SECONDS) && LATER.awaitTermination(9, TimeUnit.SECONDS);
        System.out.println(DONE.get() / 7 + " " + ended);
    }
}
