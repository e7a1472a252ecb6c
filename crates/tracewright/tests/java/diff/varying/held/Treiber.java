import java.util.concurrent.atomic.*;

/** A stack without locks, pushed and popped by four threads: retries come as they may. */
public class Treiber {
    static class Node {
        final int value;
        Node next;

        Node(int value) {
            this.value = value;
        }
    }

    final AtomicReference<Node> top = new AtomicReference<>();
    final AtomicInteger empty = new AtomicInteger();

    void push(int value) {
        Node node = new Node(value);
        do {
            node.next = top.get();
        } while (!top.compareAndSet(node.next, node));
    }

    Integer pop() {
        while (true) {
            Node node = top.get();
            if (node == null) return none();
            if (top.compareAndSet(node, node.next)) return node.value;
        }
    }

    Integer none() {
        empty.incrementAndGet();
        return null;
    }

    void work(int who) {
        int sum = 0;
        for (int i = 0; i < 400; i++) {
            if ((i + who) % 2 == 0) {
                push(i);
            } else {
                Integer value = pop();
                if (value != null) sum += value;
            }
        }
        if (sum < 0) throw new IllegalStateException();
    }

    public static void main(String[] arguments) throws Exception {
        Treiber stack = new Treiber();
        Thread[] all = new Thread[4];
        for (int i = 0; i < all.length; i++) {
            int who = i;
            (all[i] = new Thread(() -> stack.work(who), "worker " + i)).start();
        }
        for (Thread one : all) one.join();
    }
}
