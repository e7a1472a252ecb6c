import java.util.*;

/** Hill climbing with random restarts, until it is good enough. */
public class Climbing {
    static final Random chance = new Random();

    static int score(int[] state) {
        int score = 0;
        for (int i = 0; i < state.length; i++) {
            for (int j = i + 1; j < state.length; j++) {
                if (state[i] == state[j] || Math.abs(state[i] - state[j]) == j - i) score++;
            }
        }
        return score;
    }

    static int[] fresh(int size) {
        int[] state = new int[size];
        for (int i = 0; i < size; i++) state[i] = chance.nextInt(size);
        return state;
    }

    static boolean improve(int[] state) {
        int best = score(state);
        for (int i = 0; i < state.length; i++) {
            int was = state[i];
            for (int value = 0; value < state.length; value++) {
                state[i] = value;
                int now = score(state);
                if (now < best) return true;
            }
            state[i] = was;
        }
        return false;
    }

    static int[] solve(int size) {
        while (true) {
            int[] state = fresh(size);
            while (improve(state)) {
                if (score(state) == 0) return state;
            }
        }
    }

    public static void main(String[] arguments) {
        for (int size = 5; size < 8; size++) {
            int[] found = solve(size);
            if (score(found) != 0) throw new IllegalStateException();
        }
    }
}
