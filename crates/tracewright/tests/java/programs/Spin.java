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
        System.out.println(round(27));
    }
}
