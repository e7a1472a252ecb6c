import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Loads and links every class of each folder below a folder, all in one loader, and counts what the VM refuses. */
public class LoadFolders {
    public static void main(String[] arguments) throws Exception {
        List<Path> roots;
        try (Stream<Path> list = Files.list(Path.of(arguments[0]))) {
            roots = list.sorted().collect(Collectors.toList());
        }
        URL[] urls = new URL[roots.size()];
        for (int i = 0; i < urls.length; i++) {
            urls[i] = roots.get(i).toUri().toURL();
        }
        ClassLoader loader = new URLClassLoader(urls);
        int linked = 0;
        int incomplete = 0;
        for (Path root : roots) {
            List<Path> files;
            try (Stream<Path> walk = Files.walk(root)) {
                files = walk.filter(file -> file.toString().endsWith(".class")).sorted().collect(Collectors.toList());
            }
            for (Path file : files) {
                String path = root.relativize(file).toString();
                if (path.startsWith("META-INF") || path.endsWith("module-info.class")) {
                    continue;
                }
                String name = path.substring(0, path.length() - 6).replace('/', '.');
                try {
                    Class<?> loaded = Class.forName(name, false, loader);
                    if (loaded.isInterface()) {
                        loaded.getDeclaredFields();
                    } else {
                        loaded.getDeclaredConstructors();
                    }
                    linked++;
                } catch (VerifyError | ClassFormatError error) {
                    System.out.println("REFUSED " + name + " " + error.toString().lines().findFirst().orElse(""));
                } catch (LinkageError | SecurityException error) {
                    incomplete++;
                }
            }
        }
        System.out.println("linked " + linked + " incomplete " + incomplete);
    }
}
