package bakery;

/** An oven that burns every seventeenth piece of what stays in it for long. */
final class Oven {
    private int baked;

    int bake(Dough dough, int minutes) throws BurntException {
        baked++;
        int heat = 20;
        for (int minute = 0; minute < minutes; minute++) {
            heat += warm(heat);
        }
        if (minutes > 30 && baked % 17 == 0) {
            throw new BurntException(heat);
        }
        return heat * dough.layers();
    }

    private static int warm(int heat) {
        return heat < 200 ? 15 : 0;
    }
}
