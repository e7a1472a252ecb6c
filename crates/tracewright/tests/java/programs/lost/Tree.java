import java.util.*;
public class Tree { static class N { int k; N l, r; N(int k) { this.k = k; } }
  N root; int size;
  boolean add(int k) { if (root == null) { root = new N(k); size++; return true; } N n = root; for (;;) { if (k == n.k) return false; if (k < n.k) { if (n.l == null) { n.l = new N(k); break; } n = n.l; } else { if (n.r == null) { n.r = new N(k); break; } n = n.r; } } size++; return true; }
  int depth(N n) { return n == null ? 0 : 1 + Math.max(depth(n.l), depth(n.r)); }
  void walk(N n, List<Integer> out) { if (n == null) return; walk(n.l, out); out.add(n.k); walk(n.r, out); }
  boolean has(int k) { N n = root; while (n != null) { if (k == n.k) return true; n = k < n.k ? n.l : n.r; } return false; }
  public static void main(String[] a) { Tree t = new Tree(); Random r = new Random(9); for (int i = 0; i < 1500; i++) t.add(r.nextInt(4000)); int hits = 0; for (int i = 0; i < 1500; i++) if (t.has(i * 3)) hits++; List<Integer> out = new ArrayList<>(); t.walk(t.root, out); System.out.println(t.size + " " + t.depth(t.root) + " " + hits + " " + out.size()); } }
