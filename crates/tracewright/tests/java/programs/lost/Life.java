public class Life { final boolean[][] c; Life(int n) { c = new boolean[n][n]; }
  int around(int x, int y) { int n = 0; for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) { if (i == 0 && j == 0) continue; int u = x + i, v = y + j; if (u >= 0 && v >= 0 && u < c.length && v < c.length && c[u][v]) n++; } return n; }
  Life next() { Life l = new Life(c.length); for (int x = 0; x < c.length; x++) for (int y = 0; y < c.length; y++) { int n = around(x, y); l.c[x][y] = n == 3 || n == 2 && c[x][y]; } return l; }
  int alive() { int n = 0; for (boolean[] r : c) for (boolean b : r) if (b) n++; return n; }
  public static void main(String[] a) { Life l = new Life(20); java.util.Random r = new java.util.Random(4); for (int i = 0; i < 120; i++) l.c[r.nextInt(20)][r.nextInt(20)] = true; for (int i = 0; i < 8; i++) l = l.next(); System.out.println(l.alive()); } }
