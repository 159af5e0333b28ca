package dev.agwp.compat;

import com.google.protobuf.Timestamp;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** Builds the clients of every release in every language, before the tests. */
public final class BuildWireDrivers {
  private static final String TIMESTAMP = "google/protobuf/timestamp.proto";

  private BuildWireDrivers() {}

  /** @param args the folder of this module */
  public static void main(String[] args) throws IOException {
    Path module = Path.of(args[0]);
    Path include = module.resolve("target/wire-include").resolve(TIMESTAMP);
    Files.createDirectories(include.getParent());
    try (InputStream timestamp = Timestamp.class.getResourceAsStream("/" + TIMESTAMP)) {
      Files.copy(timestamp, include, StandardCopyOption.REPLACE_EXISTING);
    }
    module.resolveSibling("spec/target/protoc.exe").toFile().setExecutable(true);
    // At once: they mostly wait for registries.
    WireFolder.all(module).parallelStream()
        .filter(folder -> folder.toolchain().isThereFor("clients of every release in " + folder.language()))
        .forEach(WireFolder::build);
  }
}
