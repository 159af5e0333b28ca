package dev.agwp.compat;

import dev.agwp.sdks.Toolchain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What somebody else made for attestations: {@code interop/<language>} here, put together in {@code target/interop/<language>}. */
public final class InteropFolder {
  private InteropFolder() {}

  /** Builds it before the tests, and says in the log of the build when it is skipped. @param args the folder of this module */
  public static void main(String[] args) {
    Path module = Path.of(args[0]);
    Path target = module.resolve("target/interop/python");
    try (Stream<Path> files = Files.list(module.resolve("interop/python"))) {
      Files.createDirectories(target);
      for (Path file : files.toList()) {
        Files.copy(file, target.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    Toolchain python = python(module);
    if (python.isThereFor("attestations with securesystemslib")) {
      Toolchain.Finished built = python.run("build", Map.of());
      if (built.status() != 0) {
        throw new IllegalStateException("securesystemslib cannot be installed:\n" + built.output());
      }
    }
  }

  static Toolchain python(Path module) {
    return Toolchain.of(module.resolve("interop/python/interop.properties"), module.resolve("target/interop/python"),
        List.of("build", "sign", "verify"));
  }
}
