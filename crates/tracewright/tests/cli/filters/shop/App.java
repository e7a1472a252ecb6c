package shop;

import java.util.List;

/** The servlet at the end of the chain. */
final class App {
    private final Orders.Repo repo = new Orders.Repo();

    void serve(Filters.Request request) {
        if (request.number() == 2) {
            throw new Filters.Refused("out of bread");
        }
        repo.load(request.number());
    }

    public static void main(String[] arguments) {
        App app = new App();
        List<Filters.Filter> filters =
            List.of(new Filters.Timing(), new Filters.Errors(), new Filters.Login());
        for (int number = 1; number <= 4; number++) {
            new Filters.Chain(filters, app).doFilter(new Filters.Request("/bread", number));
        }
    }
}
