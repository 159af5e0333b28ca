package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.AgwpException;
import dev.agwp.sdk.Outcome;
import dev.agwp.sdk.Worker;
import dev.agwp.sdk.testing.ServerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Release 1.0.0 cannot be mended once clients are generated from it: they must survive what later releases add. */
final class TomorrowTest {
  @TempDir
  private Path folder;
  private ServerProcess server;
  private TomorrowServer tomorrow;

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    tomorrow = new TomorrowServer(server.uri());
  }

  @AfterEach
  void stop() {
    tomorrow.close();
    server.close();
  }

  @Test
  void a_client_of_this_release_survives_answers_of_tomorrow() {
    try (AgwpClient today = AgwpClient.builder(server.uri()).build();
        AgwpClient client = AgwpClient.builder(tomorrow.uri()).build()) {
      var job = client.enqueueJob(new dev.agwp.sdk.model.EnqueueJobRequest().queue("q").payload(Map.of("n", 1)));
      assertThat(job.getState()).isEqualTo("tomorrow_queued");

      Worker worker = Worker.builder(client, "w", List.of("q")).waitSeconds(1).handler(claimed -> Outcome.passed("fine"));
      Thread running = new Thread(worker::run);
      running.start();
      var ended = await().until(() -> today.getJob(job.getJobId()), now -> "succeeded".equals(now.getState()));
      worker.close();

      assertThat(ended.getSummary()).isEqualTo("fine");
      assertThat(client.getJob(job.getJobId()).getOutcome()).isEqualTo("tomorrow_passed");
      assertThat(client.listJobs(null, null, null, null).getJobs()).hasSize(1);
      assertThat(client.listQueues(null, null).getQueues()).hasSize(1);
      AgwpException refused = catchThrowableOfType(AgwpException.class, () -> client.getJob("none"));
      assertThat(refused.code()).isEqualTo("tomorrow_not_found");
      assertThat(refused.status()).isEqualTo(404);
    }
  }

  @Test
  void a_client_generated_with_stock_options_survives_answers_of_tomorrow() throws dev.agwp.stock.ApiException {
    dev.agwp.stock.ApiClient stock = new dev.agwp.stock.ApiClient();
    stock.setBasePath(tomorrow.uri().toString());
    dev.agwp.stock.JobsApi jobs = new dev.agwp.stock.JobsApi(stock);

    String jobId = jobs.enqueueJob(new dev.agwp.stock.model.EnqueueJobRequest().queue("q")).getJobId();
    var claimed = jobs.claimJob(new dev.agwp.stock.model.ClaimJobRequest().addQueuesItem("q").worker("w"));
    assertThat(claimed.getJobs()).singleElement().satisfies(job -> assertThat(job.getState()).isEqualTo("tomorrow_claimed"));
    jobs.heartbeatJob(jobId, new dev.agwp.stock.model.HeartbeatJobRequest().worker("w"));
    var ended = jobs.completeJob(jobId, new dev.agwp.stock.model.CompleteJobRequest().worker("w")
        .outcome(dev.agwp.stock.model.JobOutcome.PASSED));

    assertThat(ended.getOutcome()).isEqualTo("tomorrow_passed");
    assertThat(jobs.listJobs(null, null, null, null).getJobs()).hasSize(1);
    assertThat(new dev.agwp.stock.QueuesApi(stock).getQueue("q").getDepth().getSucceeded()).isEqualTo(1);
    var refused = catchThrowableOfType(dev.agwp.stock.ApiException.class, () -> jobs.getJob("none"));
    assertThat(refused.getCode()).isEqualTo(404);
    assertThat(refused.getResponseBody()).contains("tomorrow_not_found");
  }
}
