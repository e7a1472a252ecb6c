import java.util.*;

/** Polls until something is there or the time is over, with waits that grow. */
public class Deadlines {
    static class Box {
        private String text;

        synchronized void put(String text) {
            this.text = text;
            notifyAll();
        }

        synchronized String peek() {
            return text;
        }

        synchronized String await(long ms) throws InterruptedException {
            long end = System.nanoTime() + ms * 1_000_000;
            while (text == null) {
                long left = (end - System.nanoTime()) / 1_000_000;
                if (left <= 0) return null;
                wait(left);
            }
            return text;
        }
    }

    static String poll(Box box) throws InterruptedException {
        int pause = 1;
        for (int tries = 0; tries < 12; tries++) {
            String found = box.peek();
            if (found != null) return found;
            Thread.sleep(pause);
            if (pause < 4) pause *= 2;
        }
        return "nothing";
    }

    static String make(int number) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < number; i++) text.append((char) ('a' + i % 26));
        return text.toString();
    }

    public static void main(String[] arguments) throws Exception {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            Box box = new Box();
            int number = i * 5;
            Thread maker = new Thread(() -> {
                try {
                    Thread.sleep(number % 7);
                } catch (InterruptedException gone) {
                    return;
                }
                box.put(make(number));
            }, "maker");
            maker.start();
            all.add(i % 2 == 0 ? poll(box) : box.await(50));
            maker.join();
        }
    }
}
