import java.util.*;

/** Objects in the order of their identity hashes: another one each time. */
public class Identity {
    static class Task {
        final int cost;
        final List<Task> needs = new ArrayList<>();
        boolean isDone;

        Task(int cost) {
            this.cost = cost;
        }
    }

    static int visit(Task task, int depth) {
        if (task.isDone) return 0;
        task.isDone = true;
        int sum = task.cost;
        for (Task need : task.needs) sum += visit(need, depth + 1);
        if (depth > 3) sum += deep(depth);
        return sum;
    }

    static int deep(int depth) {
        return depth * depth;
    }

    static int compare(Task a, Task b) {
        if (a.cost != b.cost) return a.cost < b.cost ? -1 : 1;
        return Integer.compare(System.identityHashCode(a), System.identityHashCode(b));
    }

    public static void main(String[] arguments) {
        Set<Task> tasks = new HashSet<>();
        List<Task> made = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Task task = new Task(i % 7);
            for (int back = 1; back <= i % 4 && back <= made.size(); back++) task.needs.add(made.get(made.size() - back));
            made.add(task);
            tasks.add(task);
        }
        int sum = 0;
        for (Task task : tasks) sum += visit(task, 0);
        List<Task> sorted = new ArrayList<>(tasks);
        sorted.sort(Identity::compare);
        if (sorted.get(0).cost != 0 || sum < 0) throw new IllegalStateException();
    }
}
