package shop;

/** Orders and the parts that each has, which have parts. */
final class Orders {
    static final class Repo {
        int load(int number) {
            return parts(number + 2) + close();
        }

        private int parts(int count) {
            read(count);
            if (count == 0) {
                return bread();
            }
            return parts(count - 1) + 1;
        }

        private void read(int count) {}

        private int bread() {
            return 1;
        }

        private int close() {
            return 0;
        }
    }
}
