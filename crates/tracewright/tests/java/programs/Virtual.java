/** A virtual thread spins until another one, for which no carrier is left, opens the gate. Compiled for any JDK. */
public class Virtual {
    static volatile boolean open;
    static long rounds;

    static void await() {
        while (!open) rounds++; // spin
    }

    public static void main(String[] arguments) throws Exception {
        var start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        Runnable waiter = () -> {
            System.out.println("begun");
            await();
        };
        Thread waits = (Thread) start.invoke(null, waiter);
        waits.join();
    }
}
