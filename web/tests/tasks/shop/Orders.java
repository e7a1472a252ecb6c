package shop;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server that has orders cooked by one thread and packed by another before it answers. */
public class Orders implements HttpHandler {
    private static final ExecutorService COOKS = Executors.newFixedThreadPool(1, body -> new Thread(body, "cook"));
    private static final ExecutorService PACKERS = Executors.newFixedThreadPool(1, body -> new Thread(body, "packer"));

    static void work(int milliseconds) {
        try {
            Thread.sleep(milliseconds);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
        }
    }

    static int cook(int order) {
        work(30);
        return order * 2;
    }

    static int pack(int meal) {
        work(15);
        return meal + 1;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        work(5);
        int order = exchange.getRequestURI().getPath().length();
        int packed = CompletableFuture.supplyAsync(() -> cook(order), COOKS).thenApplyAsync(meal -> pack(meal), PACKERS).join();
        byte[] answer = ("packed " + packed + "\n").getBytes();
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    public static void main(String[] arguments) throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/orders", new Orders());
        server.start();
        String address = "http://localhost:" + server.getAddress().getPort() + "/orders/";
        for (int order = 0; order < 3; order++) {
            try (var answer = URI.create(address + order).toURL().openStream()) {
                System.out.print(new String(answer.readAllBytes()));
            }
        }
        server.stop(0);
        COOKS.shutdown();
        PACKERS.shutdown();
    }
}
