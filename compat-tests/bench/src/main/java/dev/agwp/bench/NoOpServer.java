package dev.agwp.bench;

import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** A floor: a server whose claims always give the same job, so there is nothing to enqueue. */
final class NoOpServer implements JobServer {
  private final Class<?> main;
  private ChildProcess process;
  private String firstLine = "";

  NoOpServer(Class<?> main) {
    this.main = main;
  }

  @Override
  public URI uri() throws IOException {
    if (process == null) {
      List<String> command = new ArrayList<>(Agwp.java());
      command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
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
