import java.util.*;
public class Bank {
  static class Poor extends RuntimeException { Poor(String m) { super(m); } }
  interface Fee { int of(int amount); }
  static class Account { int balance; final String name; Account(String n, int b) { name = n; balance = b; }
    void take(int amount) { if (amount > balance) throw new Poor(name); balance -= amount; } void put(int amount) { balance += amount; } int balance() { return balance; } }
  static class Savings extends Account { int rate; Savings(String n, int b, int r) { super(n, b); rate = r; } void put(int a) { super.put(a + a * rate / 100); } }
  static Random r = new Random(5);
  static boolean move(Account a, Account b, int amount, Fee fee) { try { a.take(amount + fee.of(amount)); b.put(amount); return true; } catch (Poor p) { return false; } finally { count++; } }
  static int count;
  public static void main(String[] args) { List<Account> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) all.add(i % 3 == 0 ? new Savings("s" + i, 500 + i, 2) : new Account("a" + i, 400));
    int ok = 0; Fee flat = a -> 1, part = a -> a / 50;
    for (int i = 0; i < 3000; i++) { Account a = all.get(r.nextInt(30)), b = all.get(r.nextInt(30)); if (move(a, b, r.nextInt(200), i % 4 == 0 ? part : flat)) ok++; }
    all.sort((x, y) -> x.balance() != y.balance() ? Integer.compare(x.balance(), y.balance()) : x.name.compareTo(y.name));
    for (Account a : all) if (a.balance() > 600) ok += a.balance() % 3; System.out.println(ok + " " + count); } }
