import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.Selector;
import java.util.concurrent.*;
import java.util.concurrent.locks.*;

/** Programs that wait, some of them for ever. Lines that are to be named end with the argument as a comment. */
public class Wait {
    static final Object ONE = new Object();
    static final Object TWO = new Object();
    static final Object THREE = new Object();
    static final CountDownLatch BEGUN = new CountDownLatch(2);

    public static void main(String[] arguments) throws Exception {
        System.out.println("begun");
        switch (arguments[0]) {
            case "twoMonitors" -> {
                thread("first", () -> both(ONE, TWO));
                thread("second", () -> both(TWO, ONE));
            }
            case "threeMonitors" -> {
                thread("first", () -> slowly(ONE, TWO));
                thread("second", () -> slowly(TWO, THREE));
                thread("third", () -> slowly(THREE, ONE));
            }
            case "twoLocks" -> {
                Lock one = new ReentrantLock();
                Lock two = new ReentrantLock();
                thread("first", () -> locks(one, two));
                thread("second", () -> locks(two, one));
            }
            case "upgrade" -> {
                ReadWriteLock lock = new ReentrantReadWriteLock();
                thread("upgrades", () -> {
                    lock.readLock().lock();
                    lock.writeLock().lock(); // upgrade
                });
                while (true) Thread.sleep(100);
            }
            case "mixed" -> {
                Lock lock = new ReentrantLock();
                thread("first", () -> {
                    synchronized (ONE) {
                        meet();
                        lock.lock(); // mixed
                    }
                });
                thread("second", () -> {
                    lock.lock();
                    meet();
                    synchronized (ONE) { // mixed
                        System.out.println("never");
                    }
                });
            }
            case "joins" -> {
                Thread main = Thread.currentThread();
                thread("first", main::join); // joins
                Thread.sleep(50);
                join("first"); // joins
            }
            case "initialisers" -> {
                thread("first", () -> System.out.println(Left.VALUE));
                thread("second", () -> System.out.println(Right.VALUE));
            }
            case "superclass" -> {
                thread("first", () -> {
                    meet();
                    new Sub(); // superclass
                });
                thread("second", () -> System.out.println(Base.SUB));
                while (true) Thread.sleep(100);
            }
            case "lostWakeUp" -> {
                Thread.sleep(50);
                synchronized (ONE) {
                    ONE.notifyAll();
                }
                synchronized (ONE) {
                    ONE.wait(); // lostWakeUp
                }
            }
            case "starved" -> {
                ExecutorService pool = Executors.newFixedThreadPool(1);
                Future<Integer> outer = pool.submit(() -> pool.submit(() -> 1).get()); // starved
                outer.get();
            }
            case "latch" -> {
                CountDownLatch latch = new CountDownLatch(2);
                thread("counter", latch::countDown);
                latch.await(); // latch
            }
            case "condition" -> {
                Lock lock = new ReentrantLock();
                Condition full = lock.newCondition();
                lock.lock();
                full.await(); // condition
            }
            case "socket" -> {
                ServerSocket server = new ServerSocket(0);
                Socket socket = new Socket("127.0.0.1", server.getLocalPort());
                socket.getInputStream().read(); // socket
            }
            case "semaphore" -> {
                Semaphore semaphore = new Semaphore(1);
                semaphore.acquire();
                semaphore.acquire(); // semaphore
            }
            // Those that wait for work, or go on by themselves.
            case "accepts" -> new ServerSocket(0).accept();
            case "selects" -> Selector.open().select();
            case "takes" -> new LinkedBlockingQueue<Integer>().take();
            case "pool" -> {
                ExecutorService pool = Executors.newFixedThreadPool(2);
                pool.submit(() -> System.out.println("done")).get();
                pool.awaitTermination(1, TimeUnit.HOURS);
            }
            case "idlePool" -> {
                Executors.newFixedThreadPool(2).submit(() -> System.out.println("done")).get();
            }
            case "keepAlive" -> {
                thread("server", () -> new ServerSocket(0).accept());
                new CountDownLatch(1).await();
            }
            case "joinsIdle" -> {
                thread("worker", () -> new ArrayBlockingQueue<Integer>(1).take());
                join("worker");
            }
            case "sleeps" -> Thread.sleep(3_600_000);
            case "polls" -> {
                BlockingQueue<Integer> queue = new LinkedBlockingQueue<>();
                while (queue.poll(100, TimeUnit.MILLISECONDS) == null) {
                    Thread.onSpinWait();
                }
            }
            case "waitsTimed" -> {
                synchronized (ONE) {
                    ONE.wait(3_600_000);
                }
            }
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    interface Task {
        void run() throws Exception;
    }

    static void thread(String name, Task task) {
        new Thread(() -> {
            try {
                task.run();
            } catch (Exception exception) {
                throw new IllegalStateException(exception);
            }
        }, name).start();
    }

    static void join(String name) throws Exception {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals(name)) {
                thread.join(); // joins
            }
        }
    }

    /** Waits until both threads hold their first lock. */
    static void meet() throws InterruptedException {
        BEGUN.countDown();
        BEGUN.await();
    }

    static void both(Object first, Object second) throws InterruptedException {
        synchronized (first) {
            meet();
            synchronized (second) { // twoMonitors
                System.out.println("never");
            }
        }
    }

    static void slowly(Object first, Object second) throws InterruptedException {
        synchronized (first) {
            Thread.sleep(100);
            synchronized (second) { // threeMonitors
                System.out.println("never");
            }
        }
    }

    static void locks(Lock first, Lock second) throws InterruptedException {
        first.lock();
        meet();
        second.lock(); // twoLocks
    }

    static class Left {
        static final int VALUE = Wait.later() + Right.VALUE; // initialisers
    }

    static class Right {
        static final int VALUE = Wait.later() + Left.VALUE; // initialisers
    }

    static class Base {
        static final Sub SUB = Wait.soon(); // superclass
    }

    static class Sub extends Base {
    }

    static Sub soon() {
        try {
            meet();
            Thread.sleep(200);
        } catch (InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
        return new Sub();
    }

    static int later() {
        try {
            meet();
        } catch (InterruptedException exception) {
            throw new IllegalStateException(exception);
        }
        return 1;
    }
}
