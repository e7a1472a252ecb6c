/** Never ends: the numbers of Collatz come back to 1, and nobody looks. */
public class Spin {
    static int next(int x) {
        return x % 2 == 0 ? x / 2 : 3 * x + 1;
    }

    static int round(int x) {
        System.out.println("round");
        int turns = 0;
        while (x != 0) {
            x = next(x);
            turns++;
        }
        return turns;
    }

    public static void main(String[] args) {
        System.out.println(args.length > 0 ? alone() : round(27));
    }

    /** The same without a call. */
    static int alone() {
        System.out.println("alone");
        int x = 27;
        while (x != 0) {
            x = x % 2 == 0 ? x / 2 : 3 * x + 1;
        }
        return x;
    }
}
