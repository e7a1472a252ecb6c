import java.util.Random;

/** Random walks until they leave a field with walls and traps. */
public class Walks {
    static class Trapped extends Exception {
        Trapped(int at) {
            super("at " + at);
        }
    }

    final Random chance = new Random();
    int x, y;

    void step() throws Trapped {
        int way = chance.nextInt(4);
        switch (way) {
            case 0: move(1, 0); break;
            case 1: move(-1, 0); break;
            case 2: move(0, 1); break;
            default: move(0, -1);
        }
        if (x == 3 && y == -2) throw new Trapped(x);
    }

    void move(int dx, int dy) {
        if (isWall(x + dx, y + dy)) return;
        x += dx;
        y += dy;
    }

    static boolean isWall(int x, int y) {
        return x == 2 && y > 0 || y == -4 && x < 1;
    }

    int walk() {
        x = y = 0;
        int steps = 0;
        try {
            while (Math.abs(x) < 6 && Math.abs(y) < 6) {
                step();
                steps++;
            }
        } catch (Trapped trapped) {
            return -steps;
        }
        return steps;
    }

    public static void main(String[] arguments) {
        Walks walks = new Walks();
        int longest = 0, trapped = 0;
        for (int i = 0; i < 60; i++) {
            int steps = walks.walk();
            if (steps < 0) trapped++;
            else if (steps > longest) longest = steps;
        }
        System.out.println(longest > trapped);
    }
}
