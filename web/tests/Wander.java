/**
 * A long run for `cargo xtask web --measure`: one thread wanders, so that hardly anything repeats, and one counts
 * rabbits, which is calls and nothing else. About 10^8 blocks each, and 10^8 calls.
 */
public final class Wander {
    private int seed = 1;
    private long sum;

    private int next(int below) {
        seed = seed * 1664525 + 1013904223;
        return (seed >>> 16) % below;
    }

    private void one(int steps) {
        for (int step = 0; step < steps; step++) {
            sum += step;
        }
    }

    private void two(int value) {
        if (value % 3 == 0) {
            one(value % 7);
        } else if (value % 3 == 1) {
            sum ^= value;
        } else {
            three(value / 2);
        }
    }

    private void three(int value) {
        while (value > 0) {
            value /= 3;
            sum += value % 2 == 0 ? 1 : 2;
        }
    }

    private void turn() {
        switch (next(4)) {
            case 0 -> one(next(5));
            case 1 -> two(next(100));
            case 2 -> three(next(1000));
            default -> sum++;
        }
    }

    private static int rabbits(int months) {
        return months < 2 ? months : rabbits(months - 1) + rabbits(months - 2);
    }

    public static void main(String[] arguments) throws InterruptedException {
        int turns = Integer.parseInt(arguments[0]);
        int months = Integer.parseInt(arguments[1]);
        Thread wanderer = new Thread(() -> {
            Wander wander = new Wander();
            for (int turn = 0; turn < turns; turn++) {
                wander.turn();
            }
            System.out.println(wander.sum);
        }, "wanderer");
        Thread breeder = new Thread(() -> System.out.println(rabbits(months)), "breeder");
        wanderer.start();
        wanderer.join();
        breeder.start();
        breeder.join();
    }
}
