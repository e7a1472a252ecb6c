// Tasks that went from one thread to another: which are seen, and which a call handed over.
import type { TaskEnd, ThreadTimes, TimedTask } from "../lib/api.generated";
import type { Range } from "../lib/range";
import type { Picked } from "./rows";

/** What a task is called: the class without its package, and the method that began it. */
export function taskTitle(task: TimedTask): string {
  return task.name
    ? `${task.class.slice(task.class.lastIndexOf(".") + 1)}.${task.name}`
    : task.is_thread
      ? "the thread itself"
      : task.begun
        ? "a task of which nothing is recorded"
        : "a task that had not begun";
}

/** The tasks that were handed over, begun or waited in a part of the time. */
export function tasksIn(tasks: TimedTask[], range: Range): TimedTask[] {
  return tasks.filter((task) => (task.begun?.at ?? Infinity) >= range.from && task.handed_over.at <= range.to);
}

/** The tasks that a call handed over, and those with which it or something in it began. */
export function tasksOf(tasks: TimedTask[], { thread, call }: Picked): { handedOver: TimedTask[]; begun: TimedTask[] } {
  const isIn = (end: TaskEnd) =>
    end.thread === thread.serial && end.position >= call.position && end.at >= call.from && end.at <= call.to;
  const isItsBeginning = (end: TaskEnd | null) =>
    end !== null &&
    end.thread === thread.serial &&
    end.position === call.position &&
    Math.abs(end.at - call.from) <= call.within + 1e6;
  return {
    handedOver: tasks.filter((task) => isIn(task.handed_over)),
    begun: tasks.filter((task) => isItsBeginning(task.begun)),
  };
}

/** The name of the thread at an end of a task. */
export function threadOf(all: ThreadTimes, end: TaskEnd): string {
  return all.threads.find((thread) => thread.serial === end.thread)?.name ?? `thread ${end.thread}`;
}
