public class Queens { int n, found; int[] at; Queens(int n) { this.n = n; at = new int[n]; }
  boolean ok(int row, int col) { for (int i = 0; i < row; i++) { int d = at[i] - col; if (d == 0 || d == row - i || d == i - row) return false; } return true; }
  void put(int row) { if (row == n) { found++; return; } for (int c = 0; c < n; c++) if (ok(row, c)) { at[row] = c; put(row + 1); } }
  public static void main(String[] a) { Queens q = new Queens(7); q.put(0); System.out.println(q.found); } }
