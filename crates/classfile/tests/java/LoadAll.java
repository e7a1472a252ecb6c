import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Loads and links every class of the modules that are named, and counts what the VM refuses. */
public class LoadAll {
    public static void main(String[] modules) throws Exception {
        int linked = 0;
        int refused = 0;
        int incomplete = 0;
        for (String name : modules) {
            Module module = ModuleLayer.boot().findModule(name).orElseThrow();
            Path root = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules/" + name);
            List<Path> files;
            try (Stream<Path> walk = Files.walk(root)) {
                files = walk.filter(file -> file.toString().endsWith(".class")).collect(Collectors.toList());
            }
            for (Path file : files) {
                String path = root.relativize(file).toString();
                String className = path.substring(0, path.length() - 6).replace('/', '.');
                if (className.endsWith("module-info")) {
                    continue;
                }
                try {
                    Class<?> loaded = Class.forName(module, className);
                    if (loaded == null) {
                        incomplete++;
                        continue;
                    }
                    // Asking for members links; for interfaces only fields do.
                    if (loaded.isInterface()) {
                        loaded.getDeclaredFields();
                    } else {
                        loaded.getDeclaredConstructors();
                    }
                    linked++;
                } catch (VerifyError | ClassFormatError error) {
                    refused++;
                    System.out.println("REFUSED " + className + " " + error);
                } catch (LinkageError error) {
                    incomplete++;
                }
            }
        }
        System.out.println("linked " + linked + " refused " + refused + " incomplete " + incomplete);
        Class<?> probe = Class.forName("java.lang.TracewrightProbe");
        System.out.println("hits " + (probe.getField("hits").getInt(null) != 0));
    }
}
