import java.util.*; import java.util.function.*;
public class Events { enum Kind { OPEN, READ, WRITE, CLOSE, PING }
  static abstract class Handler { int seen; abstract void handle(Kind k, int v); void all(int v) { for (Kind k : Kind.values()) handle(k, v); } }
  static class Log extends Handler { final StringBuilder out = new StringBuilder(); void handle(Kind k, int v) { seen++; if (k == Kind.PING) return; if (out.length() > 2000) out.setLength(0); out.append(k.name().charAt(0)); } }
  static class State extends Handler { boolean open; int bytes; void handle(Kind k, int v) { switch (k) { case OPEN: if (open) throw new IllegalStateException("open"); open = true; break; case CLOSE: open = false; break; case READ: case WRITE: if (!open) throw new IllegalStateException("closed"); bytes += v; break; default: seen++; } } }
  static int bad; final List<Handler> handlers = new ArrayList<>();
  void fire(Kind k, int v) { for (Handler h : handlers) { try { h.handle(k, v); } catch (IllegalStateException e) { bad++; } } }
  public static void main(String[] a) { Events e = new Events(); e.handlers.add(new Log()); e.handlers.add(new State()); Random r = new Random(8); for (int i = 0; i < 2500; i++) e.fire(Kind.values()[r.nextInt(5)], i); e.handlers.forEach(h -> { if (h instanceof State) h.seen += ((State) h).bytes; }); Map<String, Integer> m = new TreeMap<>(Comparator.comparing(Events::key)); for (int i = 0; i < 300; i++) m.merge("k" + r.nextInt(60), 1, Integer::sum); System.out.println(bad + " " + m.size()); }
  static String key(String s) { return s.length() > 2 ? s.substring(1) : s; } }
