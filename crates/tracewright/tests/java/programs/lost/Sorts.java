import java.util.*;
public class Sorts {
  static void quick(int[] x, int lo, int hi) { if (lo >= hi) return; int p = x[(lo + hi) >>> 1], i = lo, j = hi; while (i <= j) { while (x[i] < p) i++; while (x[j] > p) j--; if (i <= j) { int t = x[i]; x[i] = x[j]; x[j] = t; i++; j--; } } quick(x, lo, j); quick(x, i, hi); }
  static void insertion(int[] x) { for (int i = 1; i < x.length; i++) { int v = x[i], j = i - 1; while (j >= 0 && x[j] > v) { x[j + 1] = x[j]; j--; } x[j + 1] = v; } }
  static void merge(int[] x, int[] t, int lo, int hi) { if (hi - lo < 2) return; int m = (lo + hi) / 2; merge(x, t, lo, m); merge(x, t, m, hi); int i = lo, j = m, k = lo; while (i < m || j < hi) { if (j >= hi || i < m && x[i] <= x[j]) t[k++] = x[i++]; else t[k++] = x[j++]; } System.arraycopy(t, lo, x, lo, hi - lo); }
  static int[] data(int n, long s) { Random r = new Random(s); int[] x = new int[n]; for (int i = 0; i < n; i++) x[i] = r.nextInt(n * 3); return x; }
  public static void main(String[] a) { int[] x = data(1200, 1), y = data(150, 2), z = data(1200, 3); quick(x, 0, x.length - 1); insertion(y); merge(z, new int[z.length], 0, z.length); Integer[] w = new Integer[300]; for (int i = 0; i < w.length; i++) w[i] = z[i * 7 % z.length]; Arrays.sort(w, Sorts::order); System.out.println(x[5] + y[5] + z[5] + w[5]); }
  static int order(Integer a, Integer b) { int c = a % 10 - b % 10; return c != 0 ? c : a.compareTo(b); } }
