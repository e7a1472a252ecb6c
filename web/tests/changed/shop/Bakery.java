package shop;

/** Sells bread for five days. */
public class Bakery {
    public static void main(String[] args) {
        Oven oven = new Oven();
        for (int day = 0; day < 5; day++) {
            int sold = sell(oven, day);
            if (sold > 21) {
                celebrate(sold);
            }
        }
        close(oven);
    }

    static int sell(Oven oven, int day) {
        int sold = 0;
        for (int loaf = 0; loaf < 160 + day; loaf++) {
            oven.bake(loaf);
            if (loaf == 100) {
                weigh(loaf);
            }
            sold += loaf % 8 == 0 ? 1 : 0;
        }
        return sold;
    }

    static void weigh(int loaf) {
        System.out.println("loaf " + loaf);
    }

    static void celebrate(int sold) {
        System.out.println("sold " + sold);
    }

    static void close(Oven oven) {
        try {
            oven.cool();
        } catch (IllegalStateException tooHot) {
            System.out.println("come back tomorrow");
        }
    }
}
