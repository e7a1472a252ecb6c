/** Calls methods that do very little, deeper and deeper, until the stack is full. */
public class Small {
    int value, even, odd;
    final int made;
    static Small last;
    static int reached;

    Small(int made) {
        this.made = made;
    }

    int value() {
        return value;
    }

    Small set(int value) {
        this.value = value;
        return this;
    }

    static int one() {
        return 1;
    }

    void nothing() {
    }

    void choose(int n) {
        if ((n & 1) == 0)
            even = n; // even
        else
            odd = n; // odd
    }

    void down(int n) {
        reached = n;
        nothing();
        set(n).choose(value() + one());
        last = new Small(n);
        down(n + 1);
    }

    /** So many frames more stand below, that the stack ends in another place. */
    void pad(int frames) {
        if (frames > 0) pad(frames - 1);
        else down(0);
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread thread = new Thread(null, Small::all, "small", 180 << 10);
        thread.start();
        thread.join();
    }

    static void all() {
        last = new Small(0);
        for (int attempt = 0; attempt < 60; attempt++) {
            Small small = new Small(-2);
            try {
                small.value = small.even = small.odd = -1;
                small.pad(attempt);
            } catch (StackOverflowError e) {
                System.out.println((reached + 1) + " " + (small.value + 1) + " "
                    + (Math.max(small.even, small.odd)) + " " + (last.made + 1));
            }
        }
    }
}
