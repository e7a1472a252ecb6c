import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/** Philosophers who try for their forks and think again where they do not get both. */
public class Philosophers {
    static final ReentrantLock[] forks = new ReentrantLock[4];

    static void eat(int who) {
        int sum = who;
        for (int i = 0; i < 40; i++) sum = sum * 17 + i;
        if (sum == 12) throw new IllegalStateException();
    }

    static boolean dine(int who) throws InterruptedException {
        ReentrantLock left = forks[who], right = forks[(who + 1) % forks.length];
        if (!left.tryLock(1, TimeUnit.MILLISECONDS)) return false;
        try {
            if (!right.tryLock()) return false;
            try {
                eat(who);
                return true;
            } finally {
                right.unlock();
            }
        } finally {
            left.unlock();
        }
    }

    static void live(int who) {
        int meals = 0, hungry = 0;
        try {
            while (meals < 30) {
                if (dine(who)) {
                    meals++;
                } else {
                    hungry++;
                    Thread.yield();
                }
            }
        } catch (InterruptedException gone) {
            hungry = -1;
        }
    }

    public static void main(String[] arguments) throws Exception {
        Thread[] all = new Thread[forks.length];
        for (int i = 0; i < all.length; i++) forks[i] = new ReentrantLock();
        for (int i = 0; i < all.length; i++) {
            int who = i;
            (all[i] = new Thread(() -> live(who), "philosopher " + i)).start();
        }
        for (Thread one : all) one.join();
    }
}
