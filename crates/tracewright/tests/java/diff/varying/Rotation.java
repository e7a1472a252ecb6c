import java.util.*;

/** A log that begins a new part after some time or some entries, written by two threads. */
public class Rotation {
    final List<List<String>> parts = new ArrayList<>();
    long began = System.nanoTime();
    List<String> part = new ArrayList<>();

    synchronized void write(String text) {
        if (isFull()) rotate();
        part.add(text);
    }

    boolean isFull() {
        if (part.size() >= 40) return true;
        return System.nanoTime() - began > 2_000_000 && !part.isEmpty();
    }

    void rotate() {
        parts.add(part);
        part = new ArrayList<>();
        began = System.nanoTime();
    }

    static String entry(int who, int number) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < number % 5; i++) text.append(who);
        return text.append(number).toString();
    }

    public static void main(String[] arguments) throws Exception {
        Rotation log = new Rotation();
        Thread[] all = new Thread[2];
        for (int i = 0; i < all.length; i++) {
            int who = i;
            all[i] = new Thread(() -> {
                for (int number = 0; number < 150; number++) log.write(entry(who, number));
            }, "writer " + i);
            all[i].start();
        }
        for (Thread one : all) one.join();
        log.rotate();
    }
}
