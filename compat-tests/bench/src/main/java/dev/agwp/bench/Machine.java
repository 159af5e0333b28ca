package dev.agwp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;

/** Where and of what a report was made. */
record Machine(String hardware, String java, String database, String commit) {
  private static final Path CPU = Path.of("/proc/cpuinfo");

  static Machine here(Postgres postgres, String commit) throws IOException, SQLException {
    String hardware = Runtime.getRuntime().availableProcessors() + " cores, " + model() + ", "
        + System.getProperty("os.name") + " " + System.getProperty("os.version");
    return new Machine(hardware, "Java " + System.getProperty("java.version"), postgres.version(), commit);
  }

  private static String model() throws IOException {
    if (!Files.exists(CPU)) {
      return System.getProperty("os.arch");
    }
    try (var lines = Files.lines(CPU)) {
      return lines.filter(line -> line.startsWith("model name")).findFirst()
          .map(line -> line.replaceFirst(".*: ", ""))
          .orElse(System.getProperty("os.arch"));
    }
  }
}
