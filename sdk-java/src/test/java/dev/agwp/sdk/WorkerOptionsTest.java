package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.testing.ServerProcess;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkerOptionsTest {

  @Test
  void options_out_of_range_are_refused_by_name() {
    AgwpClient client = AgwpClient.builder(URI.create("http://127.0.0.1:1")).build();
    Worker.Builder good = Worker.builder(client, "w", List.of("q"));

    assertThatThrownBy(() -> good.leaseSeconds(0).handler(job -> null)).hasMessageContaining("leaseSeconds must be 1..86400, got 0");
    assertThatThrownBy(() -> good.leaseSeconds(1).concurrency(0).handler(job -> null)).hasMessageContaining("concurrency must be 1..1000");
    assertThatThrownBy(() -> Worker.builder(client, "a|b", List.of("q")).handler(job -> null)).hasMessageContaining("label");
    assertThatThrownBy(() -> Worker.builder(client, "w", List.of("a b")).handler(job -> null)).hasMessageContaining("queue");
  }

  @Test
  void a_worker_that_requires_fencing_works_where_fencing_is_required(@TempDir Path folder) {
    try (ServerProcess server = ServerProcess.startWith(folder, "--require-fencing");
        AgwpClient client = AgwpClient.builder(server.uri()).build()) {
      String jobId = client.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();
      for (Outcome outcome : List.of(Outcome.retry("again", null, Duration.ZERO), Outcome.passed("fine"))) {
        try (Worker worker = Worker.builder(client, "w", List.of("q")).requireFencing().handler(job -> outcome)) {
          assertThat(worker.runOne()).isEqualTo(outcome);
        }
      }

      assertThat(client.getJob(jobId).getSummary()).isEqualTo("fine");
      assertThat(client.getQueue("q").getUnfencedCalls()).as("no call went without a token").isNullOrEmpty();
    }
  }
}
