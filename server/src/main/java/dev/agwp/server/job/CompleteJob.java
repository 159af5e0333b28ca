package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;

import dev.agwp.server.attestation.AttestationMapper;
import dev.agwp.server.attestation.StoredAttestation;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.JsonObject;
import dev.agwp.server.job.HolderCalls.Change;
import dev.agwp.server.message.CompleteJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.message.JobCompletion;
import dev.agwp.server.message.JobResults;
import dev.agwp.server.storage.Transaction;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** completeJob and completeJobs: ends held jobs with an outcome and stores their attestations. */
public final class CompleteJob {
  private static final Change<Completion> CHANGE = new Change<>() {
    @Override
    public List<JobRow> apply(Transaction tx, List<Completion> completions, boolean wait) {
      return write(tx, completions, wait);
    }

    @Override
    public boolean hasLeft(JobRow job, Completion completion) {
      return job.state().equals("succeeded")
          && completion.call().token().isOf(job)
          && completion.call().holder().name().equals(job.claimedBy())
          && completion.outcome().equals(job.outcome())
          && Objects.equals(completion.attestationDigest(), job.attestationDigest());
    }
  };

  private final HolderCalls calls;

  CompleteJob(HolderCalls calls) {
    this.calls = calls;
  }

  Job one(Caller caller, String jobId, CompleteJobRequest request) {
    return calls.apply(completion(caller, jobId, request), FAILED_PRECONDITION, CHANGE).toMessage();
  }

  JobResults all(Caller caller, List<JobCompletion> requests) {
    List<Completion> completions = ManyCalls.of("completions", "completion", requests,
        each -> completion(caller, each.getJobId(), each.getCompletion()));
    return ManyCalls.toMessage(calls.applyAll(completions, FAILED_PRECONDITION, CHANGE));
  }

  private Completion completion(Caller caller, String jobId, CompleteJobRequest request) {
    HolderCall call = calls.of(caller, request.getWorker(), jobId, request.getFencingToken());
    return new Completion(
        call,
        request.getOutcome().toString(),
        request.getSummary(),
        JsonObject.text("result", request.getResult()),
        request.getLogUrl(),
        StoredAttestation.of(request.getAttestation()),
        Claiming.next(call, request.getClaimNext()));
  }

  /** The jobs that were ended, each with its attestation; see {@link JobMapper#complete}. */
  static List<JobRow> write(Transaction tx, List<Completion> completions, boolean wait) {
    List<JobRow> ended = tx.jobs().complete(completions, wait);
    Map<String, JobRow> byId = JobRow.byId(ended);
    List<AttestationMapper.OfClaim> attestations = completions.stream()
        .filter(completion -> completion.attestation() != null && byId.containsKey(completion.call().jobId()))
        .map(completion -> new AttestationMapper.OfClaim(
            completion.call().jobId(), byId.get(completion.call().jobId()).attempts(), completion.attestation()))
        .toList();
    if (!attestations.isEmpty()) {
      tx.attestations().store(attestations);
    }
    return ended;
  }
}
