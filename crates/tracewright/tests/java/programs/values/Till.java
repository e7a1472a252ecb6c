import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Calls with values of every kind, and some that must not be seen. */
public class Till {
    enum Coin {
        PENNY,
        CROWN {
            @Override
            int worth() {
                return 60;
            }
        };

        int worth() {
            return 1;
        }
    }

    static class TooPoor extends RuntimeException {
        TooPoor(String message) {
            super(message);
        }

        @Override
        public String getMessage() {
            throw new IllegalStateException("nobody may ask");
        }
    }

    static class Cart {
        private final List<Object> items = new ArrayList<>();

        Cart(String owner) {}

        boolean add(String what, int count, Coin coin) {
            if (count < 0) {
                throw new TooPoor("not " + count + " of " + what);
            }
            items.add(what);
            return items.size() > 1;
        }

        double all(boolean a, char b, byte c, short d, long e, float f, double g) {
            return a ? e + f : g;
        }

        Object objects(int[] a, String[][] b, List<?> c, Map<?, ?> d, Set<?> e, Object f, Class<?> g, Cart h, Object i) {
            return this;
        }

        void login(String user, String password, char[] pin, int token) {}

        String readSecret(String name) {
            return "hush" + name.length();
        }

        static int deep(int n) {
            return n == 0 ? 0 : 1 + deep(n - 1);
        }

        int caught(int n) {
            try {
                if (n > 1) {
                    throw new TooPoor(null);
                }
                return n;
            } catch (TooPoor e) {
                return -n;
            } finally {
                items.clear();
            }
        }

        synchronized void nothing() {}

        @Override
        public String toString() {
            throw new IllegalStateException("nobody may ask");
        }

        @Override
        public int hashCode() {
            throw new IllegalStateException("nobody may ask");
        }
    }

    public static void main(String[] arguments) throws Exception {
        Cart cart = new Cart("Ann \u00e4 \"B\"\n");
        cart.add("tea", 2, Coin.PENNY);
        cart.add("\ud83d\ude00 cake", 3, Coin.CROWN);
        try {
            cart.add(null, -1, null);
        } catch (TooPoor e) {
            // As it should be.
        }
        cart.all(true, 'x', (byte) -1, (short) 300, 1L << 40, 0.5f, 1e300);
        cart.all(false, '\u20ac', (byte) 1, (short) -1, -1, -1, Double.NaN);
        cart.objects(
                new int[3],
                new String[2][1],
                Arrays.asList(1, 2),
                Map.of(1, 2),
                new HashSet<>(List.of("a", "b", "c")),
                Integer.valueOf(7),
                Cart.class,
                cart,
                "x".repeat(300));
        cart.login("ann", "hunter" + arguments.length, new char[4], 4711);
        cart.readSecret("key");
        Cart.deep(3);
        cart.caught(1);
        cart.caught(2);
        cart.nothing();
        Thread worker = new Thread(() -> Cart.deep(1), "worker");
        worker.start();
        worker.join();
    }
}
