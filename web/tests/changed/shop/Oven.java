package shop;

import java.util.List;

public class Oven {
    private final List<String> trays = List.of("rye", "oat", "fig");
    private int degrees;

    void bake(int loaf) {
        if (loaf % 50 == 0) {
            heat(220);
        }
        trays.forEach(tray -> turn(tray, loaf));
    }

    private void heat(int to) {
        while (degrees < to) {
            degrees += 40;
        }
    }

    private void turn(String tray, int loaf) {
        if (tray.equals("fig") && loaf % 3 == 0) {
            degrees--;
        }
    }

    void cool() {
        if (degrees > 1000) {
            throw new IllegalStateException("still " + degrees);
        }
    }
}
