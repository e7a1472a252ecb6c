package shop;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/**
 * A small shop on the JDK's own HTTP server: each request reads the list of goods from a file, works
 * out prices and words a page. Prints its port; ends with its input.
 */
public class Server {
    static final class Goods {
        final String name;
        final int price;
        Goods(String name, int price) { this.name = name; this.price = price; }
        int withTax(int percent) { return price + price * percent / 100; }
    }

    static List<Goods> read(Path file) throws IOException {
        List<Goods> all = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            int comma = line.indexOf(',');
            if (comma > 0) all.add(new Goods(line.substring(0, comma), Integer.parseInt(line.substring(comma + 1))));
        }
        return all;
    }

    static String page(List<Goods> all, int percent) {
        Map<Character, Integer> sums = new HashMap<>();
        StringBuilder page = new StringBuilder("<table>");
        for (Goods goods : all) {
            int price = goods.withTax(percent);
            sums.merge(goods.name.charAt(0), price, Integer::sum);
            page.append("<tr><td>").append(goods.name).append("<td>").append(price).append('\n');
        }
        page.append("</table>").append(sums);
        return page.toString();
    }

    static void answer(HttpExchange exchange, Path file) throws IOException {
        byte[] body;
        try {
            int percent = Integer.parseInt(exchange.getRequestURI().getQuery());
            body = page(read(file), percent).getBytes(StandardCharsets.UTF_8);
        } catch (NumberFormatException wrong) {
            body = new byte[] { '?' };
        }
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    public static void main(String[] arguments) throws Exception {
        // Else each answer waits for the client's delayed acknowledgement.
        System.setProperty("sun.net.httpserver.nodelay", "true");
        Path file = Path.of(arguments[0]);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> answer(exchange, file));
        server.setExecutor(Executors.newFixedThreadPool(2));
        server.start();
        System.out.println(server.getAddress().getPort());
        while (System.in.read() >= 0) { }
        System.exit(0);
    }
}
