package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.model.AuditEvent;
import dev.agwp.sdk.model.ClaimJobRequest;
import dev.agwp.sdk.model.ClaimNext;
import dev.agwp.sdk.model.CompleteJobRequest;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.FailJobRequest;
import dev.agwp.sdk.model.HeartbeatJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.model.JobCompletion;
import dev.agwp.sdk.model.JobFailure;
import dev.agwp.sdk.model.JobHeartbeat;
import dev.agwp.sdk.model.JobOutcome;
import dev.agwp.sdk.model.JobResult;
import dev.agwp.sdk.model.ReleaseJobRequest;
import dev.agwp.sdk.model.UpdateQueueRequest;
import dev.agwp.sdk.testing.FaultProxy;
import dev.agwp.sdk.testing.FaultProxy.Fault;
import dev.agwp.sdk.testing.ServerProcess;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class AgwpClientTest {
  @TempDir
  private Path folder;
  private ServerProcess server;
  private FaultProxy proxy;
  private AgwpClient client;

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    proxy = new FaultProxy(server.uri());
    client = AgwpClient.builder(proxy.uri()).build();
  }

  @AfterEach
  void stop() {
    client.close();
    proxy.close();
    server.close();
  }

  @Test
  void every_operation_of_the_contract_can_be_called() {
    Job job = client.enqueueJob(new EnqueueJobRequest().queue("q").payload(Map.of("n", 1)));
    assertThat(client.enqueueJobs(List.of(new EnqueueJobRequest().queue("other")))).hasSize(1);
    assertThat(claim("w")).extracting(Job::getJobId).containsExactly(job.getJobId());
    assertThat(client.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w").progress(5)).getProgress()).isEqualTo(5);
    client.releaseJob(job.getJobId(), new ReleaseJobRequest().worker("w"));
    claim("w");
    client.failJob(job.getJobId(), new FailJobRequest().worker("w").terminal(true));
    assertThat(client.retryJob(job.getJobId()).getState()).isEqualTo(JobState.QUEUED);
    claim("w");
    Outcome outcome = Outcome.passed("fine").withAttestation("a/b", new byte[] {1, 2}).withResult(Map.of("x", 1));
    CompleteJobRequest completion = outcome.completion().worker("w");
    assertThat(client.completeJob(job.getJobId(), completion).getOutcome()).isEqualTo("passed");
    assertThat(client.getAttestation(job.getJobId())).containsExactly(1, 2);
    assertThat(client.getJob(job.getJobId()).getResult()).containsEntry("x", 1);
    assertThat(client.listJobs("q", JobState.SUCCEEDED, 10, null).getJobs()).hasSize(1);
    assertThat(client.listQueues(null, null).getQueues()).hasSize(2);
    assertThat(client.updateQueue("q", new UpdateQueueRequest().paused(true)).getPaused()).isTrue();
    assertThat(client.getQueue("q").getPaused()).isTrue();
    await().until(() -> client.getAuditHead().getSeq() > 0);
    assertThat(client.listAuditEvents(0L, 1)).extracting(AuditEvent::getKind).containsExactly("job_enqueued");
    Job other = client.listJobs("other", null, null, null).getJobs().get(0);
    assertThat(client.cancelJob(other.getJobId()).getState()).isEqualTo(JobState.CANCELLED);
  }

  @Test
  void many_claims_are_kept_and_ended_each_by_itself() {
    List<String> jobs = enqueueAndClaim(3);
    client.cancelJob(jobs.get(1));

    List<JobResult> kept = client.heartbeatJobs(jobs.stream().map(AgwpClientTest::heartbeat).toList());
    List<JobResult> failed = client.failJobs(List.of(failure(jobs.get(2))));
    List<JobResult> ended = client.completeJobs(List.of(completion(jobs.get(0)), completion(jobs.get(2))));

    assertThat(kept.get(0).getJob().getJobId()).isEqualTo(jobs.get(0));
    assertThat(kept.get(1).getError().getReason()).isEqualTo("job_cancelled");
    assertThat(kept.get(2).getJob().getJobId()).isEqualTo(jobs.get(2));
    assertThat(failed.get(0).getJob().getState()).isEqualTo(JobState.DEAD);
    assertThat(ended.get(0).getJob().getOutcome()).isEqualTo("passed");
    assertThat(ended.get(1).getError().getCode()).isEqualTo("failed_precondition");
  }

  @Test
  void calls_for_many_are_repeated_only_where_each_alone_would_be() {
    List<String> jobs = enqueueAndClaim(4);
    for (Fault fault : List.of(Fault.DROP_ANSWER, Fault.ANSWER_503)) {
      dropFirst("/heartbeat", fault);
      assertThat(client.heartbeatJobs(List.of(heartbeat(jobs.get(0))))).extracting(JobResult::getError).containsOnlyNulls();
    }
    dropFirst("/complete", Fault.DROP_ANSWER);
    assertThat(client.completeJobs(List.of(completion(jobs.get(0)), completion(jobs.get(1)))))
        .extracting(JobResult::getError).containsOnlyNulls();
    assertThat(proxy.count("/complete")).isEqualTo(2);

    dropFirst("/complete", Fault.DROP_ANSWER);
    JobCompletion unfenced = completion(jobs.get(3));
    unfenced.getCompletion().fencingToken(null);
    assertThatThrownBy(() -> client.completeJobs(List.of(completion(jobs.get(2)), unfenced))).isInstanceOf(NoAnswerException.class);
    assertThat(proxy.count("/complete")).isEqualTo(3);
    dropFirst("/fail", Fault.DROP_ANSWER);
    assertThatThrownBy(() -> client.failJobs(List.of(failure(jobs.get(3))))).isInstanceOf(NoAnswerException.class);
    assertThat(proxy.count("/fail")).isEqualTo(1);
  }

  @Test
  void a_call_for_many_on_a_server_without_it_is_a_refusal_and_no_lost_claim() {
    List<String> jobs = enqueueAndClaim(1);
    proxy.faults(request -> Fault.ANSWER_405);

    AgwpException refused = catchThrowableOfType(AgwpException.class, () -> client.completeJobs(List.of(completion(jobs.get(0)))));

    assertThat(refused).isNotInstanceOf(LostClaimException.class);
    assertThat(refused.status()).isEqualTo(405);
  }

  @Test
  void a_completion_that_is_repeated_brings_the_job_that_it_claimed_next() {
    List<String> jobs = enqueueAndClaim(1);
    String next = client.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();
    String after = client.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId();
    dropFirst("/complete", Fault.DROP_ANSWER);
    CompleteJobRequest completion = completion(jobs.get(0)).getCompletion().claimNext(new ClaimNext().queues(List.of("q")));

    Job ended = client.completeJob(jobs.get(0), completion);

    assertThat(ended.getNextJob().getJobId()).isEqualTo(next);
    assertThat(proxy.count("/complete")).isEqualTo(2);
    assertThat(client.getJob(after).getState()).isEqualTo(JobState.QUEUED);
    // A failure is not repeated, but what it claimed can be asked for.
    dropFirst("/fail", Fault.DROP_ANSWER);
    ClaimNext claimNext = new ClaimNext().queues(List.of("q"));
    assertThatThrownBy(() -> client.failJob(next, failure(next).getFailure().claimNext(claimNext))).isInstanceOf(NoAnswerException.class);
    assertThat(client.claimJob(new ClaimJobRequest().queues(List.of("q")).worker("w").requestId(claimNext.getRequestId())))
        .singleElement().satisfies(job -> {
          assertThat(job.getJobId()).isEqualTo(after);
          assertThat(job.getAttempts()).isEqualTo(1);
        });
  }

  @Test
  void a_refusal_tells_its_code_its_fields_and_its_request() {
    AgwpException refused = catchThrowableOfType(AgwpException.class,
        () -> client.enqueueJob(new EnqueueJobRequest().queue("not a name")));

    assertThat(refused.code()).isEqualTo("invalid_argument");
    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.fieldErrors()).singleElement().extracting(AgwpException.FieldError::field).isEqualTo("queue");
    assertThat(refused.requestId()).isNotBlank();
    assertThat(refused).hasMessageContaining("queue must be");
  }

  @Test
  void a_lost_claim_has_a_type_of_its_own() {
    Job job = client.enqueueJob(new EnqueueJobRequest().queue("q"));

    assertThatThrownBy(() -> client.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w")))
        .isInstanceOf(LostClaimException.class);
    assertThatThrownBy(() -> client.completeJob(job.getJobId(), new CompleteJobRequest().worker("w").outcome(JobOutcome.PASSED)))
        .isInstanceOf(LostClaimException.class);
    assertThatThrownBy(() -> client.failJob(job.getJobId(), new FailJobRequest().worker("w")))
        .isInstanceOf(LostClaimException.class);
    assertThatThrownBy(() -> client.releaseJob(job.getJobId(), new ReleaseJobRequest().worker("w")))
        .isInstanceOf(LostClaimException.class);
  }

  @Test
  void a_claim_whose_answer_was_lost_is_repeated_with_the_same_request_id() {
    Job job = client.enqueueJob(new EnqueueJobRequest().queue("q"));
    client.enqueueJob(new EnqueueJobRequest().queue("q"));
    dropFirst("/claim", Fault.DROP_ANSWER);

    List<Job> claimed = claim("w");

    assertThat(claimed).singleElement().extracting(Job::getJobId).isEqualTo(job.getJobId());
    assertThat(claimed.get(0).getAttempts()).isEqualTo(1);
    assertThat(proxy.count("/claim")).isEqualTo(2);
    assertThat(client.listJobs("q", JobState.CLAIMED, null, null).getJobs()).hasSize(1);
  }

  @Test
  void an_enqueue_is_repeated_after_a_lost_answer_only_with_a_unique_key() {
    dropFirst("POST /v1/jobs ", Fault.DROP_ANSWER);
    assertThatThrownBy(() -> client.enqueueJob(new EnqueueJobRequest().queue("q"))).isInstanceOf(NoAnswerException.class);
    assertThat(proxy.count("POST /v1/jobs ")).isEqualTo(1);

    dropFirst("POST /v1/jobs ", Fault.DROP_ANSWER);
    client.enqueueJob(new EnqueueJobRequest().queue("q").uniqueKey("k"));

    assertThat(proxy.count("POST /v1/jobs ")).isEqualTo(3);
    assertThat(client.listJobs("q", null, null, null).getJobs()).hasSize(2);
  }

  @Test
  void reads_and_heartbeats_outlive_lost_requests_and_answers() {
    Job job = client.enqueueJob(new EnqueueJobRequest().queue("q"));
    claim("w");
    for (Fault fault : List.of(Fault.DROP_ANSWER, Fault.DROP_REQUEST)) {
      dropFirst("GET ", fault);
      assertThat(client.getJob(job.getJobId()).getState()).isEqualTo(JobState.CLAIMED);
      dropFirst("/heartbeat", fault);
      assertThat(client.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w")).getState()).isEqualTo(JobState.CLAIMED);
    }
  }

  @Test
  void what_ends_a_claim_is_not_repeated_blindly() {
    Job job = client.enqueueJob(new EnqueueJobRequest().queue("q"));
    claim("w");
    dropFirst("/complete", Fault.DROP_ANSWER);

    assertThatThrownBy(() -> client.completeJob(job.getJobId(), new CompleteJobRequest().worker("w").outcome(JobOutcome.PASSED)))
        .isInstanceOf(NoAnswerException.class);

    assertThat(proxy.count("/complete")).isEqualTo(1);
    assertThat(client.getJob(job.getJobId()).getState()).isEqualTo(JobState.SUCCEEDED);
  }

  @Test
  void a_completion_with_its_token_is_repeated_after_a_lost_answer() {
    Job job = client.enqueueJob(new EnqueueJobRequest().queue("q"));
    claim("w");
    dropFirst("/complete", Fault.DROP_ANSWER);

    Job ended = client.completeJob(job.getJobId(),
        new CompleteJobRequest().worker("w").outcome(JobOutcome.PASSED).fencingToken(1L));

    assertThat(ended.getState()).isEqualTo(JobState.SUCCEEDED);
    assertThat(proxy.count("/complete")).isEqualTo(2);
  }

  @Test
  void a_503_is_repeated_only_where_a_lost_answer_would_be() {
    Job job = client.enqueueJob(new EnqueueJobRequest().queue("q"));
    claim("w");
    dropFirst("GET ", Fault.ANSWER_503);
    assertThat(client.getJob(job.getJobId()).getState()).isEqualTo(JobState.CLAIMED);

    // Applied, though the answer does not say so: a second one would be refused, or fail the next attempt.
    dropFirst("/fail", Fault.ANSWER_503);
    AgwpException unknown = catchThrowableOfType(AgwpException.class,
        () -> client.failJob(job.getJobId(), new FailJobRequest().worker("w").retryDelaySeconds(0)));

    assertThat(unknown.code()).isEqualTo("unavailable");
    assertThat(proxy.count("/fail")).isEqualTo(1);
    assertThat(client.getJob(job.getJobId()).getState()).isEqualTo(JobState.QUEUED);
  }

  @Test
  void a_refused_job_call_tells_its_reason_and_a_missing_token_is_no_loss() {
    Job job = client.enqueueJob(new EnqueueJobRequest().queue("q"));
    LostClaimException lost = catchThrowableOfType(LostClaimException.class,
        () -> client.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w")));
    assertThat(lost.reason()).isEqualTo("not_holder");
    claim("w");
    client.updateQueue("q", new UpdateQueueRequest().requireFencing(true));

    AgwpException refused = catchThrowableOfType(AgwpException.class,
        () -> client.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w")));

    assertThat(refused).isNotInstanceOf(LostClaimException.class).hasMessageContaining("send the attempts");
    assertThat(refused.reason()).isEqualTo("fencing_token_required");
    client.heartbeatJob(job.getJobId(), new HeartbeatJobRequest().worker("w").fencingToken(1L));
  }

  @Test
  void a_server_that_refuses_connections_is_tried_again_and_then_told() throws java.io.IOException {
    int free;
    try (ServerSocket socket = new ServerSocket(0)) {
      free = socket.getLocalPort();
    }
    try (AgwpClient nobody = AgwpClient.builder(URI.create("http://127.0.0.1:" + free)).triesMax(3).build()) {
      NoAnswerException noAnswer = catchThrowableOfType(NoAnswerException.class,
          () -> nobody.enqueueJob(new EnqueueJobRequest().queue("q")));

      assertThat(noAnswer.code()).isEqualTo("unavailable");
      assertThat(noAnswer.status()).isZero();
      assertThat(noAnswer).hasMessageContaining("127.0.0.1:" + free);
    }
  }

  @Test
  void a_server_that_is_no_url_is_refused_with_what_to_give() {
    assertThatThrownBy(() -> AgwpClient.builder(URI.create("localhost:8080"))).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("http://127.0.0.1:8080");
  }

  private List<Job> claim(String worker) {
    return client.claimJob(new ClaimJobRequest().queues(List.of("q")).worker(worker));
  }

  private List<String> enqueueAndClaim(int jobs) {
    IntStream.range(0, jobs).forEach(i -> client.enqueueJob(new EnqueueJobRequest().queue("q")));
    return client.claimJob(new ClaimJobRequest().queues(List.of("q")).worker("w").maxJobs(jobs)).stream().map(Job::getJobId).toList();
  }

  private static JobHeartbeat heartbeat(String jobId) {
    return new JobHeartbeat().jobId(jobId).heartbeat(new HeartbeatJobRequest().worker("w").fencingToken(1L));
  }

  private static JobCompletion completion(String jobId) {
    return new JobCompletion().jobId(jobId)
        .completion(new CompleteJobRequest().worker("w").fencingToken(1L).outcome(JobOutcome.PASSED));
  }

  private static JobFailure failure(String jobId) {
    return new JobFailure().jobId(jobId).failure(new FailJobRequest().worker("w").fencingToken(1L).terminal(true));
  }

  private void dropFirst(String linePart, Fault fault) {
    AtomicInteger dropped = new AtomicInteger();
    proxy.faults(request -> request.line().contains(linePart) && dropped.getAndIncrement() == 0 ? fault : Fault.PASS);
  }
}
