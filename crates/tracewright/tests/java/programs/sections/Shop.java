import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Runs three tests, answers requests and has a pool do tasks. */
public class Shop {
    static class Cart {
        int sum;

        void add(int price) {
            if (price < 0) throw new IllegalArgumentException("a price is not below 0");
            sum += price;
        }
    }

    public static class CartTest {
        @Test
        public void adds() {
            Cart cart = new Cart();
            for (int price = 1; price < 5; price++) cart.add(price);
            check(cart.sum == 10);
        }

        @Test
        public void refuses() {
            Cart cart = new Cart();
            cart.add(2);
            cart.add(-1);
        }

        @Test
        public void isEmptyAtFirst() {
            check(new Cart().sum == 0);
        }

        /** Not a test. */
        void check(boolean holds) {
            if (!holds) throw new AssertionError();
        }
    }

    static class Api implements HttpHandler {
        public void handle(HttpExchange exchange) throws IOException {
            boolean isKnown = exchange.getRequestURI().getPath().equals("/cart");
            answer(exchange, isKnown ? 200 : 404);
        }

        void answer(HttpExchange exchange, int status) throws IOException {
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        }
    }

    static class Report implements Runnable {
        public void run() {
            Cart cart = new Cart();
            for (int price = 0; price < 100; price++) cart.add(price);
        }
    }

    public static void main(String[] arguments) throws Exception {
        for (String name : new String[] {"adds", "refuses", "isEmptyAtFirst", "adds"}) test(name);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", new Api());
        server.start();
        int port = server.getAddress().getPort();
        for (String path : new String[] {"cart", "nothing", "cart"}) {
            URI address = URI.create("http://127.0.0.1:" + port + "/" + path);
            ((java.net.HttpURLConnection) address.toURL().openConnection()).getResponseCode();
        }
        server.stop(0);
        ExecutorService pool = Executors.newFixedThreadPool(2);
        for (int task = 0; task < 6; task++) pool.execute(new Report());
        pool.shutdown();
        pool.awaitTermination(1, TimeUnit.MINUTES);
    }

    static void test(String name) throws Exception {
        Method method = CartTest.class.getMethod(name);
        try {
            method.invoke(new CartTest());
        } catch (InvocationTargetException failed) {
            System.out.println(name + ": " + failed.getCause().getMessage());
        }
    }
}
