import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** For each line of input it makes calls, and says how long these took: as they see it, and as their caller does. */
public class Times {
    static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    static final Object LOCK = new Object();
    static final long LONG = 300;
    static volatile long sum;
    /** Of the call that ended last: what passed within it, and processor time. */
    static long inner, used;

    static long begun, begunUsed;

    static void begin() {
        begun = System.nanoTime();
        begunUsed = THREADS.getCurrentThreadCpuTime();
    }

    static void end() {
        used = THREADS.getCurrentThreadCpuTime() - begunUsed;
        inner = System.nanoTime() - begun;
    }

    static void sleeps() throws InterruptedException {
        begin();
        Thread.sleep(LONG);
        end();
    }

    static void works() {
        begin();
        long until = System.nanoTime() + LONG * 1_000_000;
        while (System.nanoTime() < until) {
            sum += small((int) sum);
        }
        end();
    }

    static int small(int number) {
        return number % 3 == 0 ? 1 : 2;
    }

    static void throwsLate() throws InterruptedException {
        begin();
        Thread.sleep(LONG);
        end();
        throw new IllegalStateException("late");
    }

    static void waitsForLock() {
        begin();
        synchronized (LOCK) {
            sum++;
        }
        end();
    }

    static void holds(Object held) throws InterruptedException {
        synchronized (LOCK) {
            synchronized (held) {
                held.notify();
            }
            Thread.sleep(LONG);
        }
    }

    static void contends() throws InterruptedException {
        Object held = new Object();
        Thread holder = new Thread(() -> {
            try {
                holds(held);
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException(unexpected);
            }
        }, "holder");
        synchronized (held) {
            holder.start();
            held.wait();
        }
        long before = System.nanoTime();
        waitsForLock();
        say("waitsForLock", before);
        holder.join();
    }

    static void inside() throws InterruptedException {
        long before = System.nanoTime();
        sleeps();
        say("sleeps", before);
        Thread.sleep(LONG);
    }

    static void say(String name, long before) {
        System.out.println(name + " " + inner + " " + (System.nanoTime() - before) + " " + used);
    }

    static void run() throws InterruptedException {
        long before = System.nanoTime();
        works();
        say("works", before);
        before = System.nanoTime();
        try {
            throwsLate();
        } catch (IllegalStateException expected) {
            sum++;
        }
        say("throwsLate", before);
        contends();
        inside();
        System.out.println("done");
    }

    public static void main(String[] arguments) throws Exception {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        System.out.println("ready");
        while (input.readLine() != null) {
            run();
        }
    }
}
