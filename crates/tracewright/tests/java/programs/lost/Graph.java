import java.util.*;
public class Graph { final int n; final List<List<int[]>> out = new ArrayList<>(); Graph(int n) { this.n = n; for (int i = 0; i < n; i++) out.add(new ArrayList<>()); }
  void edge(int a, int b, int w) { out.get(a).add(new int[] {b, w}); out.get(b).add(new int[] {a, w}); }
  int[] dijkstra(int from) { int[] d = new int[n]; Arrays.fill(d, Integer.MAX_VALUE); d[from] = 0; PriorityQueue<int[]> q = new PriorityQueue<>((x, y) -> x[1] - y[1]); q.add(new int[] {from, 0}); while (!q.isEmpty()) { int[] t = q.poll(); if (t[1] > d[t[0]]) continue; for (int[] e : out.get(t[0])) { int v = t[1] + e[1]; if (v < d[e[0]]) { d[e[0]] = v; q.add(new int[] {e[0], v}); } } } return d; }
  int components() { boolean[] s = new boolean[n]; int c = 0; for (int i = 0; i < n; i++) if (!s[i]) { c++; visit(i, s); } return c; }
  void visit(int i, boolean[] s) { if (s[i]) return; s[i] = true; for (int[] e : out.get(i)) visit(e[0], s); }
  public static void main(String[] a) { Graph g = new Graph(150); Random r = new Random(2); for (int i = 0; i < 220; i++) g.edge(r.nextInt(150), r.nextInt(150), 1 + r.nextInt(20)); long s = 0; for (int i = 0; i < 10; i++) for (int d : g.dijkstra(i)) s += d == Integer.MAX_VALUE ? 0 : d; System.out.println(s + " " + g.components()); } }
