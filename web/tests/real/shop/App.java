package shop;

import jakarta.servlet.FilterChain;
import jakarta.servlet.http.HttpFilter;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import jakarta.servlet.ServletException;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;
import org.apache.tomcat.util.descriptor.web.FilterDef;
import org.apache.tomcat.util.descriptor.web.FilterMap;

/** Tomcat with two servlets behind two filters, and one request to it. */
public class App {
    public static void main(String[] arguments) throws Exception {
        File folder = Files.createTempDirectory("shop").toFile();
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.getPath());
        tomcat.setPort(0);
        Context shop = tomcat.addContext("", folder.getPath());
        filter(shop, "stamp", new Stamp());
        filter(shop, "limit", new Limit());
        Tomcat.addServlet(shop, "cart", new Cart());
        Tomcat.addServlet(shop, "price", new Price());
        shop.addServletMappingDecoded("/cart", "cart");
        shop.addServletMappingDecoded("/price", "price");
        tomcat.getConnector();
        tomcat.start();
        URI cart = URI.create("http://localhost:" + tomcat.getConnector().getLocalPort() + "/cart?loaves=3");
        System.out.print(HttpClient.newHttpClient().send(HttpRequest.newBuilder(cart).build(), BodyHandlers.ofString()).body());
        tomcat.stop();
        tomcat.destroy();
        System.exit(0);
    }

    static void filter(Context of, String name, HttpFilter filter) {
        FilterDef definition = new FilterDef();
        definition.setFilterName(name);
        definition.setFilter(filter);
        of.addFilterDef(definition);
        FilterMap where = new FilterMap();
        where.setFilterName(name);
        where.addURLPattern("/*");
        of.addFilterMap(where);
    }

    static class Stamp extends HttpFilter {
        @Override
        protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain) throws IOException, ServletException {
            response.setHeader("Shop", "open");
            chain.doFilter(request, response);
        }
    }

    static class Limit extends HttpFilter {
        @Override
        protected void doFilter(HttpServletRequest request, HttpServletResponse response, FilterChain chain) throws IOException, ServletException {
            if (Integer.parseInt(request.getParameter("loaves")) > 100) response.sendError(400);
            else chain.doFilter(request, response);
        }
    }

    /** Asks the other servlet for the price of each loaf. */
    static class Cart extends HttpServlet {
        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException {
            response.setContentType("text/plain");
            int loaves = Integer.parseInt(request.getParameter("loaves"));
            for (int n = 0; n < loaves; n++) request.getRequestDispatcher("/price?loaf=" + n).include(request, response);
            response.getWriter().println("that is all");
        }
    }

    static class Price extends HttpServlet {
        static class SoldOut extends RuntimeException {}

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try {
                response.getWriter().println(price(Integer.parseInt(request.getParameter("loaf"))));
            } catch (SoldOut none) {
                response.getWriter().println("sold out");
            }
        }

        int price(int loaf) {
            if (loaf == 2) throw new SoldOut();
            return 3 + loaf;
        }
    }
}
