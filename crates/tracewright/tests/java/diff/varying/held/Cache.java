import java.util.*;

/** A cache of few entries, asked for random keys of which some are liked more. */
public class Cache {
    final Map<Integer, String> map = new HashMap<>();
    final ArrayDeque<Integer> order = new ArrayDeque<>();
    final Random chance = new Random();
    int misses;

    String get(int key) {
        String found = map.get(key);
        if (found != null) {
            touch(key);
            return found;
        }
        misses++;
        return load(key);
    }

    void touch(int key) {
        if (order.peekLast() == key) return;
        order.remove(key);
        order.addLast(key);
    }

    String load(int key) {
        if (map.size() >= 12) evict();
        String text = key % 5 == 0 ? slow(key) : "v" + key;
        map.put(key, text);
        order.addLast(key);
        return text;
    }

    void evict() {
        Integer oldest = order.removeFirst();
        map.remove(oldest);
    }

    static String slow(int key) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < key; i++) text.append('.');
        return text.toString();
    }

    int key() {
        int key = (int) Math.abs(chance.nextGaussian() * 8);
        return key > 30 ? 30 : key;
    }

    public static void main(String[] arguments) {
        Cache cache = new Cache();
        for (int i = 0; i < 500; i++) {
            String text = cache.get(cache.key());
            if (text == null) throw new IllegalStateException();
        }
    }
}
