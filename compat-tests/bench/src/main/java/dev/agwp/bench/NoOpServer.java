package dev.agwp.bench;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A floor: a server whose claims always give the same job, so there is nothing to enqueue. */
final class NoOpServer implements JobServer {
  private final Class<?> main;
  private final String classPath;
  private ChildProcess process;
  private String firstLine = "";

  private NoOpServer(Class<?> main, String classPath) {
    this.main = main;
    this.classPath = classPath;
  }

  static NoOpServer stack(Path serverJar) {
    // Only the server's own jar: Jersey finds its providers on the class path, and would take JSON to those of the peers.
    return new NoOpServer(NoOpStack.class, Bench.TARGET.resolve("classes") + File.pathSeparator + serverJar);
  }

  static NoOpServer stockJersey() {
    return new NoOpServer(StockJersey.class, System.getProperty("java.class.path"));
  }

  @Override
  public URI uri() throws IOException {
    if (process == null) {
      List<String> command = new ArrayList<>(Agwp.java());
      command.addAll(List.of("-cp", classPath, main.getName()));
      process = ChildProcess.start(main.getSimpleName(), command);
      firstLine = process.lineWith(" serves ");
    }
    return URI.create(firstLine.substring(firstLine.lastIndexOf(' ') + 1));
  }

  @Override
  public String version() {
    return firstLine.replaceFirst(" serves .*", "");
  }

  @Override
  public void fill(String queue, int jobs) {
    // A claim never finds it empty.
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
  }
}
