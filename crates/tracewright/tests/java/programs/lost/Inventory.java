import java.util.*;
public class Inventory { static class NoStock extends Exception { final int missing; NoStock(int m) { missing = m; } }
  static class Item { final String id; int count; final int price; Item(String id, int c, int p) { this.id = id; count = c; price = p; } int total() { return count * price; } void remove(int n) throws NoStock { if (n > count) throw new NoStock(n - count); count -= n; } }
  final Map<String, Item> items = new LinkedHashMap<>();
  Item get(String id) { Item i = items.get(id); if (i == null) { i = new Item(id, 10, id.length() * 3 + 1); items.put(id, i); } return i; }
  int order(String[] ids, int n) { int cost = 0; for (String id : ids) { Item i = get(id); try { i.remove(n); cost += n * i.price; } catch (NoStock e) { if (e.missing > 5) restock(i, e.missing); else cost -= 1; } finally { if (i.count < 3) restock(i, 4); } } return cost; }
  void restock(Item i, int n) { do { i.count += 2; n -= 2; } while (n > 0); }
  public static void main(String[] a) { Inventory v = new Inventory(); String[] names = {"bolt", "nut", "gear", "screw", "belt", "washer"}; Random r = new Random(11); int c = 0; for (int k = 0; k < 500; k++) { String[] ids = new String[1 + r.nextInt(4)]; for (int i = 0; i < ids.length; i++) ids[i] = names[r.nextInt(names.length)]; c += v.order(ids, r.nextInt(9)); } int t = 0; for (Item i : v.items.values()) t += i.total(); System.out.println(c + " " + t); } }
