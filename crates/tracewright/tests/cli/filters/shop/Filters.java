package shop;

import java.util.List;

/** Requests on their way through a chain of filters to a servlet, which fails now and then. */
final class Filters {
    interface Filter {
        void filter(Request request, Chain chain);
    }

    record Request(String path, int number) {}

    static final class Refused extends RuntimeException {
        Refused(String reason) {
            super(reason);
        }
    }

    static final class Chain {
        private final List<Filter> filters;
        private final App app;
        private int next;

        Chain(List<Filter> filters, App app) {
            this.filters = filters;
            this.app = app;
        }

        void doFilter(Request request) {
            if (next == filters.size()) {
                app.serve(request);
                return;
            }
            Filter filter = filters.get(next);
            next++;
            filter.filter(request, this);
            next--;
        }
    }

    static final class Timing implements Filter {
        private int done;

        public void filter(Request request, Chain chain) {
            chain.doFilter(request);
            count();
        }

        private void count() {
            done++;
        }
    }

    /** Says what went wrong, and goes on. */
    static final class Errors implements Filter {
        public void filter(Request request, Chain chain) {
            int depth = chain.next;
            try {
                chain.doFilter(request);
            } catch (Refused refused) {
                chain.next = depth;
                page(refused.getMessage());
            }
        }

        private String page(String reason) {
            return "<h1>" + reason + "</h1>";
        }
    }

    static final class Login implements Filter {
        public void filter(Request request, Chain chain) {
            if (!known(request)) {
                throw new Refused("who are you?");
            }
            chain.doFilter(request);
            log(request);
        }

        private boolean known(Request request) {
            return request.number != 3;
        }

        private void log(Request request) {}
    }
}
