package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.JobState;
import dev.agwp.sdk.LostClaimException;
import dev.agwp.sdk.model.ClaimJobRequest;
import dev.agwp.sdk.model.CompleteJobRequest;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.FailJobRequest;
import dev.agwp.sdk.model.HeartbeatJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.model.JobOutcome;
import dev.agwp.sdk.testing.ServerProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** A server of release 1.0.0 and one of today on one PostgreSQL, in the middle of an upgrade; at last the old one goes on alone. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
final class MixedReplicasTest {
  private static final Path TODAY = Path.of("../server/target/agwp-server.jar");

  private static EmbeddedPostgres postgresql;
  private static ServerProcess oldServer;
  private static ServerProcess newServer;
  private static AgwpClient old;
  private static AgwpClient today;

  @BeforeAll
  static void serve() throws IOException {
    Release release = Release.of("1.0.0");
    postgresql = EmbeddedPostgres.start();
    String url = postgresql.getJdbcUrl("postgres", "postgres");
    oldServer = ServerProcess.start(release.serverJar(), url);
    newServer = ServerProcess.start(TODAY, url);
    old = AgwpClient.builder(oldServer.uri()).build();
    today = AgwpClient.builder(newServer.uri()).build();
  }

  @AfterAll
  static void stop() throws IOException {
    if (postgresql != null) {
      oldServer.close();
      newServer.close();
      postgresql.close();
    }
  }

  @Test
  @Order(1)
  void a_job_goes_from_replica_to_replica_whatever_their_age() {
    Job job = enqueue(old);
    assertThat(claim(today, "w").getJobId()).isEqualTo(job.getJobId());
    old.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w").fencingToken(1L));
    today.failJob(job.getJobId(), new FailJobRequest().worker("w").fencingToken(1L).retryDelaySeconds(0));
    assertThat(claim(old, "w").getAttempts()).isEqualTo(2);

    assertThat(today.completeJob(job.getJobId(), new CompleteJobRequest().worker("w").outcome(JobOutcome.PASSED).fencingToken(2L))
        .getState()).isEqualTo(JobState.SUCCEEDED);
    assertThat(old.getJob(job.getJobId()).getOutcome()).isEqualTo("passed");
  }

  @Test
  @Order(2)
  void a_stale_token_is_refused_by_the_new_server_and_applied_by_the_old_one() {
    Job job = enqueue(today);
    claim(today, "w");
    today.failJob(job.getJobId(), new FailJobRequest().worker("w").fencingToken(1L).retryDelaySeconds(0));
    claim(today, "w");

    assertThatThrownBy(() -> today.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w").fencingToken(1L)))
        .isInstanceOf(LostClaimException.class);
    // The documented hole of 1.0.0: it does not know the field.
    old.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w").fencingToken(1L));
    today.completeJob(job.getJobId(), new CompleteJobRequest().worker("w").outcome(JobOutcome.PASSED).fencingToken(2L));
  }

  @Test
  @Order(3)
  void the_old_server_goes_on_with_what_the_new_one_wrote() {
    Job queued = enqueue(today);
    Job claimed = today.claimJob(new ClaimJobRequest().queues(List.of("q")).worker("w")).get(0);
    assertThat(claimed.getJobId()).isEqualTo(queued.getJobId());
    Job waiting = enqueue(today);

    newServer.close();

    assertThat(old.heartbeatJob(claimed.getJobId(), new HeartbeatJobRequest().worker("w").progress(50)).getProgress()).isEqualTo(50);
    assertThat(old.completeJob(claimed.getJobId(), new CompleteJobRequest().worker("w").outcome(JobOutcome.FAILED)).getState())
        .isEqualTo(JobState.SUCCEEDED);
    assertThat(claim(old, "w").getJobId()).isEqualTo(waiting.getJobId());
    old.completeJob(waiting.getJobId(), new CompleteJobRequest().worker("w").outcome(JobOutcome.PASSED));
    assertThat(old.getQueue("q").getDepth().getSucceeded()).isEqualTo(4);
  }

  private static Job enqueue(AgwpClient client) {
    return client.enqueueJob(new EnqueueJobRequest().queue("q"));
  }

  private static Job claim(AgwpClient client, String worker) {
    List<Job> jobs = client.claimJob(new ClaimJobRequest().queues(List.of("q")).worker(worker).waitSeconds(10));
    assertThat(jobs).hasSize(1);
    return jobs.get(0);
  }
}
