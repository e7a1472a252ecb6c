import java.util.*;

/** Sorts with random pivots, small parts by insertion, and looks for what was sorted. */
public class Pivots {
    static final Random chance = new Random();

    static void sort(int[] all, int from, int to) {
        if (to - from < 6) {
            insertion(all, from, to);
            return;
        }
        int pivot = all[from + chance.nextInt(to - from)];
        int low = from, at = from, high = to;
        while (at < high) {
            if (all[at] < pivot) swap(all, low++, at++);
            else if (all[at] > pivot) swap(all, at, --high);
            else at++;
        }
        sort(all, from, low);
        sort(all, high, to);
    }

    static void swap(int[] all, int a, int b) {
        int was = all[a];
        all[a] = all[b];
        all[b] = was;
    }

    static void insertion(int[] all, int from, int to) {
        for (int i = from + 1; i < to; i++) {
            int one = all[i], at = i;
            while (at > from && all[at - 1] > one) {
                all[at] = all[at - 1];
                at--;
            }
            all[at] = one;
        }
    }

    static int find(int[] all, int wanted) {
        int low = 0, high = all.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (all[middle] < wanted) low = middle + 1;
            else high = middle;
        }
        return low < all.length && all[low] == wanted ? low : -1;
    }

    public static void main(String[] arguments) {
        int found = 0;
        for (int round = 0; round < 5; round++) {
            int[] all = new int[100];
            for (int i = 0; i < all.length; i++) all[i] = chance.nextInt(200);
            sort(all, 0, all.length);
            for (int i = 1; i < all.length; i++) if (all[i - 1] > all[i]) throw new IllegalStateException();
            for (int i = 0; i < 40; i++) if (find(all, chance.nextInt(200)) >= 0) found++;
        }
        System.out.println(found > 0);
    }
}
