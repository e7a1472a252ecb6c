/**
 * Programs in which threads wait for each other without ever giving up a processor, and programs that go by the clock. The lines
 * that are to be named of those that hang end with the argument as a comment.
 */
public final class Paced {
    static volatile boolean isOver;
    static volatile double result;

    // Each waits for the flag that the other sets after it.
    static final class Side extends Thread {
        volatile boolean isReady;
        Side other;

        Side(String name) {
            super(name);
        }

        @Override
        public void run() {
            while (!other.isReady) Thread.onSpinWait(); // mutual
            isReady = true;
        }
    }

    static void mutual() {
        Side left = new Side("left"), right = new Side("right");
        left.other = right;
        right.other = left;
        left.start();
        right.run();
    }

    // A worker that was to set the flag has ended without.
    static final class Worker extends Thread {
        volatile boolean isDone;
        final int sign;

        Worker(int sign) {
            this.sign = sign;
        }

        @Override
        public void run() {
            if (sign > 0) isDone = true;
        }
    }

    static void forgotten() {
        Worker worker = new Worker(-1);
        worker.start();
        while (!worker.isDone) Thread.onSpinWait(); // forgotten
    }

    // ---------------------------------------------------------------- what makes progress

    static final class Stage extends Thread {
        volatile boolean isReady;
        double value;

        @Override
        public void run() {
            double now = 1;
            for (long end = System.nanoTime() + 700_000_000L; System.nanoTime() < end; ) now = improve(now);
            value = now;
            isReady = true;
        }

        static double improve(double value) {
            for (int i = 1; i < 2000; i++) value += Math.sin(value) / i;
            return value;
        }
    }

    static double awaitStage(Stage stage) {
        while (!stage.isReady) Thread.onSpinWait();
        return stage.value;
    }

    static void stages() {
        while (!isOver) {
            Stage stage = new Stage();
            stage.setDaemon(true);
            stage.start();
            result += awaitStage(stage);
        }
    }

    static double x, speed = 1;

    static void draw() {
        x += speed / 60;
        if (x > 10 || x < 0) speed = -speed;
    }

    static void frames() {
        long next = System.nanoTime();
        while (!isOver) {
            long now = System.nanoTime();
            if (now < next) {
                Thread.onSpinWait();
                continue;
            }
            next += 16_666_667L;
            draw();
        }
    }

    static void beats() {
        long last = System.currentTimeMillis();
        while (!isOver) {
            if (System.currentTimeMillis() - last > 20) {
                last = System.currentTimeMillis();
                draw();
            }
        }
    }

    public static void main(String[] arguments) {
        System.out.println("begun");
        switch (arguments[0]) {
            case "mutual" -> mutual();
            case "forgotten" -> forgotten();

            case "stages" -> stages();
            case "frames" -> frames();
            case "beats" -> beats();
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }
}
