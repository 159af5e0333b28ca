package dev.agwp.server.job;

import dev.agwp.server.api.JobsApi;
import dev.agwp.server.attestation.StoredAttestation;
import dev.agwp.server.http.Answer;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.ClientConnection;
import dev.agwp.server.http.CurrentRequest;
import dev.agwp.server.message.ClaimJobRequest;
import dev.agwp.server.message.ClaimJobResponse;
import dev.agwp.server.message.CompleteJobRequest;
import dev.agwp.server.message.CompleteJobsRequest;
import dev.agwp.server.message.EnqueueJobRequest;
import dev.agwp.server.message.EnqueueJobsRequest;
import dev.agwp.server.message.EnqueueJobsResponse;
import dev.agwp.server.message.FailJobRequest;
import dev.agwp.server.message.FailJobsRequest;
import dev.agwp.server.message.HeartbeatJobRequest;
import dev.agwp.server.message.HeartbeatJobsRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.message.JobResults;
import dev.agwp.server.message.ListJobsResponse;
import dev.agwp.server.message.ReleaseJobRequest;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** The job operations over HTTP, in the order of the contract. */
public final class JobResource implements JobsApi {
  private static final int CREATED = 201;

  private final JobOperations operations;

  public JobResource(JobOperations operations) {
    this.operations = operations;
  }

  @Override
  public Job enqueueJob(EnqueueJobRequest message) {
    EnqueueJob.Enqueued enqueued = operations.enqueue().one(Caller.of(CurrentRequest.get()), message);
    if (enqueued.stored()) {
      Answer.status(CurrentRequest.get(), CREATED);
    }
    return enqueued.job();
  }

  @Override
  public EnqueueJobsResponse enqueueJobs(EnqueueJobsRequest message) {
    Answer.status(CurrentRequest.get(), CREATED);
    return new EnqueueJobsResponse().jobs(operations.enqueue().all(Caller.of(CurrentRequest.get()), message.getJobs()));
  }

  @Override
  public ListJobsResponse listJobs(String queue, String state, Integer pageSize, String pageToken) {
    return operations.read().page(Caller.of(CurrentRequest.get()), queue, state, pageSize, pageToken);
  }

  @Override
  public CompletionStage<ClaimJobResponse> claimJob(ClaimJobRequest message) {
    ContainerRequestContext request = CurrentRequest.get();
    BooleanSupplier gone = ClientConnection.gone(request);
    BooleanSupplier lapsed = Caller.lapsed(request);
    return operations.claim().run(Caller.of(request), message, () -> gone.getAsBoolean() || lapsed.getAsBoolean());
  }

  @Override
  public JobResults heartbeatJobs(HeartbeatJobsRequest message) {
    return operations.heartbeat().all(Caller.of(CurrentRequest.get()), message.getHeartbeats());
  }

  @Override
  public JobResults completeJobs(CompleteJobsRequest message) {
    return operations.complete().all(Caller.of(CurrentRequest.get()), message.getCompletions());
  }

  @Override
  public JobResults failJobs(FailJobsRequest message) {
    return operations.fail().all(Caller.of(CurrentRequest.get()), message.getFailures());
  }

  @Override
  public Job getJob(String jobId) {
    return operations.read().one(Caller.of(CurrentRequest.get()), jobId);
  }

  @Override
  public Job heartbeatJob(String jobId, HeartbeatJobRequest message) {
    return operations.heartbeat().one(Caller.of(CurrentRequest.get()), jobId, message);
  }

  @Override
  public Job completeJob(String jobId, CompleteJobRequest message) {
    return operations.complete().one(Caller.of(CurrentRequest.get()), jobId, message);
  }

  @Override
  public Job failJob(String jobId, FailJobRequest message) {
    return operations.fail().one(Caller.of(CurrentRequest.get()), jobId, message);
  }

  @Override
  public Job releaseJob(String jobId, ReleaseJobRequest message) {
    return operations.release().run(Caller.of(CurrentRequest.get()), jobId, message);
  }

  @Override
  public Job cancelJob(String jobId) {
    return operations.cancel().run(Caller.of(CurrentRequest.get()), jobId);
  }

  @Override
  public Job retryJob(String jobId) {
    return operations.retry().run(Caller.of(CurrentRequest.get()), jobId);
  }

  @Override
  public byte[] getAttestation(String jobId) {
    StoredAttestation attestation = operations.read().attestation(Caller.of(CurrentRequest.get()), jobId);
    Answer.mediaType(CurrentRequest.get(), attestation.mediaType());
    return attestation.body();
  }
}
