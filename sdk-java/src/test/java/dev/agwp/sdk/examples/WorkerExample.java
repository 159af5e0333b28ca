package dev.agwp.sdk.examples;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.Outcome;
import dev.agwp.sdk.Worker;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A worker that checks files. */
final class WorkerExample {
  private WorkerExample() {}

  static Worker worker(URI server) {
    // tag::worker
    AgwpClient client = AgwpClient.builder(server).build();
    Worker worker = Worker.builder(client, "checker-1", List.of("validate"))
        .concurrency(2)
        .handler(job -> {
          Path file = Path.of(String.valueOf(job.payload().get("path")));
          job.progress(50, "reading " + file);
          long lines = Files.readAllLines(file).size();
          return lines > 0 ? Outcome.passed(lines + " lines") : Outcome.failed("the file is empty");
        });
    Runtime.getRuntime().addShutdownHook(new Thread(worker::close));
    // end::worker
    return worker;
  }
}
