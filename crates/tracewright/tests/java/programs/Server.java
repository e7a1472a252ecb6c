import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.security.MessageDigest;
import java.security.ProtectionDomain;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Does what the lines of its input say, and can tell what its classes are made of. */
public class Server {
    static Instrumentation instrumentation;
    static String seen;

    public static void premain(String options, Instrumentation given) {
        instrumentation = given;
        given.addTransformer(new ClassFileTransformer() {
            @Override
            public byte[] transform(ClassLoader loader, String name, Class<?> known, ProtectionDomain domain, byte[] bytes) {
                if (known == Server.Work.class) {
                    try {
                        byte[] sum = MessageDigest.getInstance("SHA-256").digest(bytes);
                        seen = new java.math.BigInteger(1, sum).toString(16) + "/" + bytes.length;
                    } catch (Exception e) {
                        seen = e.toString();
                    }
                }
                return null;
            }
        }, true);
    }

    static class Work {
        static int fib(int n) {
            if (n < 2) return n;
            return fib(n - 1) + fib(n - 2);
        }
    }

    static volatile boolean running = true;

    public static void main(String[] args) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        ExecutorService pool = Executors.newFixedThreadPool(2);
        System.out.println("ready");
        for (String line; (line = in.readLine()) != null; ) {
            String[] words = line.split(" ");
            switch (words[0]) {
                case "work" -> System.out.println(pool.submit(() -> Work.fib(Integer.parseInt(words[1]))).get());
                case "sha" -> {
                    instrumentation.retransformClasses(Work.class);
                    System.out.println(seen);
                }
                case "threads" -> System.out.println(Thread.getAllStackTraces().keySet().stream()
                    .map(Thread::getName).filter(name -> name.contains("racewright")).toList());
                case "busy" -> {
                    Thread thread = new Thread(() -> { while (running) Work.fib(10); }, "busy");
                    thread.setDaemon(true);
                    thread.start();
                    System.out.println("busy");
                }
                default -> System.out.println("?");
            }
        }
        running = false;
        pool.shutdown();
        System.out.println("bye");
    }
}
