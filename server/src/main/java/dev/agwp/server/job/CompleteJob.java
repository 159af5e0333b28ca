package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;

import dev.agwp.server.attestation.AttestationMapper;
import dev.agwp.server.attestation.Evidence;
import dev.agwp.server.attestation.SigningKeys;
import dev.agwp.server.attestation.StoredAttestation;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.JsonObject;
import dev.agwp.server.job.HolderCalls.Applied;
import dev.agwp.server.job.HolderCalls.Change;
import dev.agwp.server.job.HolderCalls.Result;
import dev.agwp.server.message.CompleteJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.message.JobCompletion;
import dev.agwp.server.message.JobResults;
import dev.agwp.server.storage.Transaction;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
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

    @Override
    public ApiException explain(Transaction tx, JobRow job, Completion completion) {
      return RefusedAttestation.explain(tx, completion, job);
    }
  };

  private final HolderCalls calls;
  private final SigningKeys keys;
  private final MeterRegistry metrics;

  CompleteJob(HolderCalls calls, SigningKeys keys, MeterRegistry metrics) {
    this.calls = calls;
    this.keys = keys;
    this.metrics = metrics;
  }

  Job one(Caller caller, String jobId, CompleteJobRequest request) {
    Completion completion = completion(caller, jobId, request);
    Applied applied = calls.apply(caller, completion, FAILED_PRECONDITION, CHANGE);
    count(completion, applied);
    return applied.toMessage();
  }

  JobResults all(Caller caller, List<JobCompletion> requests) {
    List<Completion> completions = ManyCalls.of("completions", "completion", requests,
        each -> completion(caller, each.getJobId(), each.getCompletion()));
    List<Result> results = calls.applyAll(caller, completions, FAILED_PRECONDITION, CHANGE);
    for (int i = 0; i < results.size(); i++) {
      if (results.get(i).refusal() == null) {
        count(completions.get(i), results.get(i).applied());
      }
    }
    return ManyCalls.toMessage(results);
  }

  private void count(Completion completion, Applied applied) {
    if (applied.repeated()) {
      return;
    }
    Counter.builder("agwp.attestations")
        .description("Completions that ended a job, by what attestation they carried")
        .tag("queue", applied.job().queue())
        .tag("kind", completion.evidence() == null ? "none" : completion.evidence().kind())
        .register(metrics)
        .increment();
  }

  private Completion completion(Caller caller, String jobId, CompleteJobRequest request) {
    HolderCall call = calls.of(caller, request.getWorker(), jobId, request.getFencingToken());
    StoredAttestation attestation = StoredAttestation.of(request.getAttestation());
    try {
      return completion(caller, call, request, Evidence.of(attestation, caller.principal(), jobId, keys));
    } catch (ApiException refusal) {
      calls.recordRefusal(completion(caller, call, request, Evidence.unread(attestation)), refusal);
      throw refusal;
    }
  }

  private static Completion completion(Caller caller, HolderCall call, CompleteJobRequest request, Evidence evidence) {
    return new Completion(
        call,
        request.getOutcome().toString(),
        request.getSummary(),
        JsonObject.text("result", request.getResult()),
        request.getLogUrl(),
        evidence,
        Claiming.next(caller, call, request.getClaimNext()));
  }

  /** The jobs that were ended, each with its attestation; see {@link JobMapper#complete}. */
  static List<JobRow> write(Transaction tx, List<Completion> completions, boolean wait) {
    List<JobRow> ended = tx.jobs().complete(completions, wait);
    Map<String, JobRow> byId = JobRow.byId(ended);
    List<AttestationMapper.OfClaim> attestations = completions.stream()
        .filter(completion -> completion.evidence() != null && byId.containsKey(completion.call().jobId()))
        .map(completion -> new AttestationMapper.OfClaim(
            completion.call().jobId(), byId.get(completion.call().jobId()).attempts(), completion.evidence().stored()))
        .toList();
    if (!attestations.isEmpty()) {
      tx.attestations().store(attestations);
    }
    return ended;
  }
}
