import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;

/** Three threads that call, and say in a file that outlives them how many calls have returned. */
public class Announced {
    static int step(int n) {
        return n % 3 == 0 ? n / 3 : n + 1;
    }
    static void run(MappedByteBuffer told, int thread) {
        int sum = 0;
        for (int i = 1; ; i++) {
            sum += step(i);
            told.putInt(thread * 8 + 4, sum);
            told.putInt(thread * 8, i);
        }
    }
    public static void main(String[] args) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(args[0], "rw")) {
            MappedByteBuffer told = file.getChannel().map(FileChannel.MapMode.READ_WRITE, 0, 24);
            for (int i = 0; i < 3; i++) {
                int thread = i;
                new Thread(() -> run(told, thread), "teller-" + i).start();
            }
            System.out.println("begun");
            Thread.sleep(1_000_000);
        }
    }
}
