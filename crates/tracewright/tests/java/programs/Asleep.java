import java.util.concurrent.*;
import java.util.concurrent.locks.*;

/**
 * Threads that wait until another one does something, beside threads that go on. As in Stall.java, the lines that are to be named
 * where nobody is left to do it end with the argument as a comment. Each is a class of its own: what the code of a program never does
 * nobody waits for.
 */
public final class Asleep {
    static volatile long result;

    interface Task {
        void run() throws Exception;
    }

    static Thread thread(String name, Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }, name);
        thread.start();
        return thread;
    }

    static void tick() throws InterruptedException {
        while (true) {
            Thread.sleep(100);
            result += ("beat " + result).length();
        }
    }

    static void heartbeat() {
        Executors.newScheduledThreadPool(1).scheduleAtFixedRate(() -> result++, 0, 100, TimeUnit.MILLISECONDS);
    }

    static final class Latch {
        // One of three workers has thrown, and never counts down.
        static void run() throws Exception {
            heartbeat();
            ExecutorService pool = Executors.newFixedThreadPool(3);
            CountDownLatch done = new CountDownLatch(3);
            for (int i = 0; i < 3; i++) {
                int number = i;
                pool.execute(() -> {
                    if (number == 1) throw new IllegalStateException("number " + number);
                    done.countDown();
                });
            }
            done.await(); // latch
        }
    }

    static final class Permits {
        static final Semaphore ALL = new Semaphore(2);

        static void serve(int number) throws Exception {
            ALL.acquire(); // permits
            if (number % 3 == 0) throw new IllegalStateException("number " + number);
            ALL.release();
        }

        // Whoever fails keeps its permit; main waits for those who wait for one.
        static void run() throws Exception {
            thread("ticker", Asleep::tick);
            ExecutorService pool = Executors.newFixedThreadPool(2);
            Future<?>[] all = new Future<?>[20];
            for (int i = 0; i < all.length; i++) {
                int number = i;
                all[i] = pool.submit(() -> {
                    serve(number);
                    return number;
                });
            }
            for (Future<?> one : all) {
                try {
                    one.get();
                } catch (ExecutionException e) {
                    result++;
                }
            }
        }
    }

    static final class Parties {
        // One of three has left without a word.
        static void run() throws Exception {
            Phaser phaser = new Phaser(3);
            for (int i = 0; i < 3; i++) {
                int number = i;
                thread("party " + i, () -> {
                    for (int round = 0; number > 0 || round < 5; round++) phaser.arriveAndAwaitAdvance(); // parties
                });
            }
            tick();
        }
    }

    static final class Conditions {
        // Room is made, and not told to those who wait for it.
        static void run() throws Exception {
            Lock lock = new ReentrantLock();
            Condition hasRoom = lock.newCondition();
            Condition hasWork = lock.newCondition();
            boolean[] isFull = {true};
            thread("waits", () -> {
                lock.lock();
                while (isFull[0]) hasRoom.await(); // conditions
                lock.unlock();
            });
            thread("clears", () -> {
                Thread.sleep(200);
                lock.lock();
                isFull[0] = false;
                hasWork.signalAll();
                lock.unlock();
            });
            tick();
        }
    }

    static final class Stamps {
        // Whoever wants to write has not given back the stamp with which it reads.
        static void run() throws Exception {
            heartbeat();
            StampedLock lock = new StampedLock();
            for (int i = 0; i < 2; i++) {
                thread("reads " + i, () -> {
                    long stamp = lock.readLock();
                    Thread.sleep(200);
                    long mine = lock.writeLock(); // stamps
                    result++;
                    lock.unlockWrite(mine);
                    lock.unlockRead(stamp);
                });
            }
        }
    }

    static final class Ends {
        static void leave() {
            System.exit(1); // ends
        }

        // What ends the program waits for the thread that ends it.
        static void run() throws Exception {
            Thread worker = thread("worker", () -> {
                Thread.sleep(200);
                leave();
            });
            Thread hook = new Thread(() -> {
                try {
                    worker.join();
                } catch (InterruptedException e) {
                    result++;
                }
            }, "last");
            Runtime.getRuntime().addShutdownHook(hook);
            tick();
        }
    }

    static final class Pipe {
        // Both write before they read, more than a pipe takes.
        static void run() throws Exception {
            var one = new java.io.PipedOutputStream();
            var other = new java.io.PipedOutputStream();
            var ofOne = new java.io.PipedInputStream(one);
            var ofOther = new java.io.PipedInputStream(other);
            thread("server", () -> {
                other.write(new byte[5000]); // pipe
                result += ofOne.readAllBytes().length;
            });
            one.write(new byte[5000]); // pipe
            result += ofOther.readAllBytes().length;
        }
    }

    static final class Printer {
        static int print(Process process) throws Exception {
            int status = process.waitFor(); // printer
            return status + process.getInputStream().readAllBytes().length;
        }

        // A process is read only once it has ended, and writes more than a pipe takes.
        static void run() throws Exception {
            heartbeat();
            Process process = new ProcessBuilder("sh", "-c", "while :; do echo a line of output; done").start();
            thread("printer", () -> result += print(process));
        }
    }

    // ---------------------------------------------------------------- what makes progress, or will

    static final class External {
        // A process that takes its time.
        static void run() throws Exception {
            Process process = new ProcessBuilder("sleep", "60").start();
            process.waitFor();
        }
    }

    static final class Published {
        private volatile long[] found;

        void publish(long[] numbers) {
            found = numbers;
        }

        // Whoever computes publishes what it has found in the end.
        static void run() throws Exception {
            Published slot = new Published();
            thread("computes", () -> {
                long[] numbers = new long[4];
                for (long n = 0; n < 1L << 40; n++) numbers[(int) (n * n % 4)] += n;
                slot.publish(numbers);
            });
            while (slot.found == null) Thread.onSpinWait();
            result = slot.found[0];
        }
    }

    static final class Flagged {
        static void run() throws Exception {
            var isDone = new java.util.concurrent.atomic.AtomicBoolean();
            thread("computes", () -> {
                for (long n = 0; n < 1L << 40; n++) result += n % 3;
                isDone.set(true);
            });
            while (!isDone.get()) Thread.onSpinWait();
        }
    }

    static final class Server {
        // The program is there as long as somebody may come.
        static void run() throws Exception {
            var socket = new java.net.ServerSocket(0);
            Thread server = thread("server", () -> {
                while (true) {
                    socket.accept().close();
                    result++;
                }
            });
            heartbeat();
            server.join();
        }
    }

    static final class Hook {
        // A service, until somebody ends it.
        static void run() throws Exception {
            CountDownLatch isOver = new CountDownLatch(1);
            Runtime.getRuntime().addShutdownHook(new Thread(isOver::countDown));
            heartbeat();
            isOver.await();
        }
    }

    static final class Alive {
        // What nobody ever does keeps the program alive.
        static void run() throws Exception {
            heartbeat();
            new CountDownLatch(1).await();
        }
    }

    static final class Once {
        static void run() throws Exception {
            CountDownLatch isOver = new CountDownLatch(1);
            ScheduledExecutorService pool = Executors.newScheduledThreadPool(1);
            pool.scheduleAtFixedRate(() -> result++, 0, 100, TimeUnit.MILLISECONDS);
            Runnable end = () -> isOver.countDown();
            pool.schedule(end, 1, TimeUnit.HOURS);
            isOver.await();
        }
    }

    static final class Listening {
        interface Listener {
            void on(long number);
        }

        // The listener is known by its interface only.
        static void run() throws Exception {
            CompletableFuture<Long> found = new CompletableFuture<>();
            Listener listener = number -> {
                if (number < 0) found.complete(number);
            };
            thread("bus", () -> {
                for (long number = 0; ; number++) {
                    Thread.sleep(100);
                    listener.on(number);
                }
            });
            result = found.join();
        }
    }

    static final class Slow {
        // Who has the permit computes.
        static void run() throws Exception {
            Semaphore one = new Semaphore(1);
            for (int i = 0; i < 2; i++) {
                thread("worker " + i, () -> {
                    while (true) {
                        one.acquire();
                        long end = System.nanoTime() + 2_500_000_000L;
                        for (long n = 0; System.nanoTime() < end; n++) result += n % 7;
                        one.release();
                    }
                });
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        System.out.println("begun");
        switch (arguments[0]) {
            case "latch" -> Latch.run();
            case "permits" -> Permits.run();
            case "parties" -> Parties.run();
            case "conditions" -> Conditions.run();
            case "stamps" -> Stamps.run();
            case "ends" -> Ends.run();
            case "pipe" -> Pipe.run();
            case "printer" -> Printer.run();

            case "hook" -> Hook.run();
            case "alive" -> Alive.run();
            case "once" -> Once.run();
            case "listening" -> Listening.run();
            case "slow" -> Slow.run();
            case "server" -> Server.run();
            case "external" -> External.run();
            case "published" -> Published.run();
            case "flagged" -> Flagged.run();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }
}
