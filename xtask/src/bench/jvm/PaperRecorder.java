import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * The recorder of the paper: one synchronized method for all threads, records of 14 bytes, two buffers
 * of 32 MB of which one is written to a file while the other is filled. The file is written from its
 * beginning again when it is large.
 */
public final class PaperRecorder {
    private static final int SIZE = 32 << 20;
    private static final long LARGE = 256L << 20;
    private static final ThreadLocal<Byte> THREAD = ThreadLocal.withInitial(PaperRecorder::next);
    private static ByteBuffer filling = ByteBuffer.allocateDirect(SIZE), free = ByteBuffer.allocateDirect(SIZE), full;
    private static byte threads;
    private static final Object SWAP = new Object();

    static {
        Thread writer = new Thread(PaperRecorder::write, "dump");
        writer.setDaemon(true);
        writer.start();
    }

    private static byte next() { return ++threads; }

    public static synchronized void record(int ofClass, int method, int block, int kind) {
        if (filling.remaining() < 14) swap();
        filling.put(THREAD.get()).putInt(ofClass).putInt(method).putInt(block).put((byte) kind);
    }

    private static void swap() {
        synchronized (SWAP) {
            try {
                while (free == null) SWAP.wait();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                filling.clear();
                return;
            }
            full = filling;
            filling = free;
            free = null;
            SWAP.notifyAll();
        }
    }

    private static void write() {
        try (FileChannel file = new FileOutputStream(System.getProperty("paper.file")).getChannel()) {
            while (true) {
                ByteBuffer buffer;
                synchronized (SWAP) {
                    while (full == null) SWAP.wait();
                    buffer = full;
                    full = null;
                }
                buffer.flip();
                if (file.position() > LARGE) file.position(0);
                while (buffer.hasRemaining()) file.write(buffer);
                buffer.clear();
                synchronized (SWAP) {
                    free = buffer;
                    SWAP.notifyAll();
                }
            }
        } catch (IOException | InterruptedException trouble) {
            throw new IllegalStateException(trouble);
        }
    }
}
