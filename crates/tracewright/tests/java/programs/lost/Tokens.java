import java.util.*;
public class Tokens {
  final String s; int at; Tokens(String s) { this.s = s; }
  char peek() { return at < s.length() ? s.charAt(at) : 0; }
  void space() { while (peek() == ' ') at++; }
  long number() { long v = 0; while (peek() >= '0' && peek() <= '9') v = v * 10 + s.charAt(at++) - '0'; return v; }
  long factor() { space(); if (peek() == '(') { at++; long v = sum(); space(); if (peek() == ')') at++; return v; } if (peek() == '-') { at++; return -factor(); } return number(); }
  long term() { long v = factor(); for (;;) { space(); char c = peek(); if (c == '*') { at++; v *= factor(); } else if (c == '/') { at++; long d = factor(); if (d == 0) throw new ArithmeticException("zero"); v /= d; } else return v; } }
  long sum() { long v = term(); for (;;) { space(); char c = peek(); if (c == '+') { at++; v += term(); } else if (c == '-') { at++; v -= term(); } else return v; } }
  static String make(Random r, int depth) { switch (depth <= 0 ? 0 : r.nextInt(5)) { case 0: return "" + r.nextInt(1000); case 1: return "(" + make(r, depth - 1) + ")"; case 2: return make(r, depth - 1) + " * " + make(r, depth - 1); case 3: return make(r, depth - 1) + "/" + make(r, depth - 2); default: return make(r, depth - 1) + (r.nextBoolean() ? " + " : " - ") + make(r, depth - 1); } }
  public static void main(String[] a) { Random r = new Random(3); long x = 0; for (int i = 0; i < 300; i++) { try { x += new Tokens(make(r, 6)).sum(); } catch (ArithmeticException e) { x ^= 1; } } System.out.println(x); } }
