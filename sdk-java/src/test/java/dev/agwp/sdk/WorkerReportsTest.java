package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.model.JobError;
import dev.agwp.sdk.testing.FaultProxy;
import dev.agwp.sdk.testing.FaultProxy.Fault;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a worker reports is what its handler found, whatever stands in the way. */
final class WorkerReportsTest {
  @TempDir
  private Path folder;
  private ServerProcess server;
  private FaultProxy proxy;
  private AgwpClient client;
  private final List<Outcome> reported = new CopyOnWriteArrayList<>();

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    proxy = new FaultProxy(server.uri());
    // Two tries, so that the worker soon has to deal with what the client could not.
    client = AgwpClient.builder(proxy.uri()).triesMax(2).build();
  }

  @AfterEach
  void stop() {
    client.close();
    proxy.close();
    server.close();
  }

  @Test
  void a_429_that_lasts_delays_an_outcome_and_does_not_make_it_a_failure() {
    String jobId = client.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();
    AtomicInteger refused = new AtomicInteger();
    proxy.faults(request -> request.line().contains("/complete") && refused.getAndIncrement() < 3 ? Fault.ANSWER_429 : Fault.PASS);

    work(job -> Outcome.passed("found good"));

    Job job = client.getJob(jobId);
    assertThat(job.getSummary()).isEqualTo("found good");
    assertThat(job.getLastError()).isNull();
    assertThat(proxy.count("/complete")).isEqualTo(4);
    assertThat(proxy.count("/fail")).isZero();
  }

  @Test
  void a_progress_message_the_server_would_refuse_is_refused_where_it_is_given() {
    String jobId = client.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();

    work(job -> {
      assertThatThrownBy(() -> job.progress(50, "x".repeat(4097))).hasMessageContaining("at most 4096 characters");
      job.progress(50, "x".repeat(4096));
      return Outcome.passed("kept its claim");
    });

    assertThat(client.getJob(jobId).getSummary()).isEqualTo("kept its claim");
  }

  @Test
  void who_listens_hears_the_failure_that_was_reported_for_a_refused_outcome() {
    String jobId = client.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();

    Outcome ended = work(job -> Outcome.passed("x".repeat(4097)));

    assertThat(client.getJob(jobId).getLastError().getReason()).isEqualTo("outcome_refused");
    assertThat(reported).containsExactly(ended);
    assertThat(ended.verdictWord()).isEqualTo("none");
    assertThat(ended.text()).startsWith("the outcome was refused: summary");
  }

  @Test
  void what_a_handler_throws_is_cut_between_characters() {
    String jobId = client.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();

    work(job -> {
      throw new IOException("\ud83d\ude00".repeat(4096));
    });

    JobError error = client.getJob(jobId).getLastError();
    assertThat(error.getReason()).isEqualTo("handler_failed");
    assertThat(error.getMessage()).startsWith("java.io.IOException: ").endsWith("\ud83d\ude00").hasSize(4095);
  }

  private Outcome work(JobHandler handler) {
    try (Worker worker = Worker.builder(client, "w", List.of("q")).listener(new Heard()).handler(handler)) {
      return worker.runOne();
    }
  }

  private final class Heard implements WorkerListener {
    @Override
    public void reported(Job job, Outcome outcome) {
      reported.add(outcome);
    }
  }
}
