import java.util.Random;

/** A skip list: how high each node is, is tossed. */
public class Levels {
    static final int HIGHEST = 6;
    final Random chance = new Random();
    final Node head = new Node(Integer.MIN_VALUE, HIGHEST);

    static class Node {
        final int key;
        final Node[] next;

        Node(int key, int height) {
            this.key = key;
            next = new Node[height];
        }
    }

    int height() {
        int height = 1;
        while (height < HIGHEST && chance.nextBoolean()) height++;
        return height;
    }

    Node before(int key, int level) {
        Node at = head;
        for (int i = HIGHEST - 1; i >= level; i--) {
            while (at.next.length > i && at.next[i] != null && at.next[i].key < key) at = at.next[i];
        }
        return at;
    }

    void add(int key) {
        Node node = new Node(key, height());
        for (int i = 0; i < node.next.length; i++) {
            Node before = before(key, i);
            node.next[i] = before.next[i];
            before.next[i] = node;
        }
    }

    boolean has(int key) {
        Node found = before(key, 0).next[0];
        return found != null && found.key == key;
    }

    public static void main(String[] arguments) {
        Levels list = new Levels();
        for (int i = 0; i < 150; i++) list.add((i * 37) % 151);
        int missing = 0;
        for (int i = 0; i < 200; i++) {
            if (!list.has(i)) missing++;
        }
        if (missing < 40) throw new IllegalStateException("missing " + missing);
    }
}
