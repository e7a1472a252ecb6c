import java.io.BufferedReader;
import java.io.File;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;

/**
 * Real programs again and again in one process: `Programs h2|antlr4|ecj FOLDER`, where the inputs lie
 * in FOLDER. `run NAME N` runs it N times and prints what each run took, in milliseconds: processor
 * time of this thread, or for ecj, which works in threads of its own, the time on the clock.
 */
public class Programs {
    interface Work { void run() throws Exception; }

    static Work h2(String folder) throws Exception {
        Method execute = Class.forName("org.h2.tools.RunScript").getMethod("execute", String.class, String.class,
            String.class, String.class, java.nio.charset.Charset.class, boolean.class);
        return () -> execute.invoke(null, "jdbc:h2:mem:x", "", "", folder + "/s.sql", null, false);
    }

    static Work antlr4(String folder) throws Exception {
        Class<?> tool = Class.forName("org.antlr.v4.Tool");
        String[] arguments = { "-visitor", "-o", folder + "/out", folder + "/G.g4" };
        return () -> {
            Object one = tool.getConstructor(String[].class).newInstance((Object) arguments);
            tool.getMethod("processGrammarsOnCommandLine").invoke(one);
        };
    }

    static Work ecj(String folder) throws Exception {
        Class<?> progress = Class.forName("org.eclipse.jdt.core.compiler.CompilationProgress");
        Method compile = Class.forName("org.eclipse.jdt.core.compiler.batch.BatchCompiler")
            .getMethod("compile", String[].class, PrintWriter.class, PrintWriter.class, progress);
        String[] arguments = { "-1.8", "-nowarn", "-d", folder + "/out", folder + "/src" };
        PrintWriter nowhere = new PrintWriter(OutputStream.nullOutputStream());
        return () -> {
            if (!(Boolean) compile.invoke(null, arguments, nowhere, nowhere, null)) throw new IllegalStateException("ecj failed");
        };
    }

    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        String name = arguments[0], folder = arguments[1];
        new File(folder, "out").mkdirs();
        Work work = name.equals("h2") ? h2(folder) : name.equals("antlr4") ? antlr4(folder) : ecj(folder);
        ThreadMXBean clock = ManagementFactory.getThreadMXBean();
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        String line;
        while ((line = lines.readLine()) != null) {
            String[] words = line.split(" ");
            StringBuilder answer = new StringBuilder();
            if (words[0].equals("list")) {
                answer.append(name);
            } else {
                for (int i = Integer.parseInt(words[2]); i > 0; i--) {
                    long began = name.equals("ecj") ? System.nanoTime() : clock.getCurrentThreadCpuTime();
                    work.run();
                    long now = name.equals("ecj") ? System.nanoTime() : clock.getCurrentThreadCpuTime();
                    answer.append((now - began) / 1e6).append(' ');
                }
            }
            answers.println(answer.toString().trim());
        }
    }
}
