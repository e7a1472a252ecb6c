import java.lang.invoke.MethodHandles;

/** Classes that are defined in unusual ways: without a name, and hidden. */
public class Defined {
    public static class Sum {
        public static int of(int a, int b) {
            if (a > b) {
                return a - b;
            }
            return a + b;
        }
    }

    static class Own extends ClassLoader {
        Class<?> define(byte[] bytes) {
            return defineClass(null, bytes, 0, bytes.length);
        }
    }

    static Object call(Class<?> sum) throws Exception {
        return sum.getMethod("of", int.class, int.class).invoke(null, 3, 4);
    }

    public static void main(String[] args) throws Exception {
        byte[] bytes = Defined.class.getResourceAsStream("Defined$Sum.class").readAllBytes();
        System.out.println(call(new Own().define(bytes)));
        for (int i = 0; i < 3; i++) {
            System.out.println(call(MethodHandles.lookup().defineHiddenClass(bytes, true).lookupClass()));
        }
        Runnable lambda = () -> System.out.println("lambda");
        lambda.run();
    }
}
