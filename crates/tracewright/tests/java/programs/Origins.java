import shelf.Shelf;

/** Uses a library that lies in an archive. */
public final class Origins {
    static int twice(int thing) {
        return 2 * thing;
    }

    public static void main(String[] arguments) {
        Shelf shelf = new Shelf();
        int paid = shelf.put(3, Origins::twice);
        System.out.println(paid + " " + shelf.count());
    }
}
