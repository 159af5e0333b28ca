package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.FAILED_PRECONDITION;

import dev.agwp.server.attestation.AttestationMapper;
import dev.agwp.server.attestation.StoredAttestation;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.JsonObject;
import dev.agwp.server.message.CompleteJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.storage.Transaction;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** completeJob: ends a held job with an outcome and stores its attestation. */
public final class CompleteJob {
  private final HolderCalls calls;

  CompleteJob(HolderCalls calls) {
    this.calls = calls;
  }

  Job run(Caller caller, String jobId, CompleteJobRequest request) {
    HolderCall call = calls.of(caller, request.getWorker(), jobId, request.getFencingToken());
    Completion completion = new Completion(
        call,
        request.getOutcome().toString(),
        request.getSummary(),
        JsonObject.text("result", request.getResult()),
        request.getLogUrl(),
        StoredAttestation.of(request.getAttestation()));
    return calls.apply(completion, FAILED_PRECONDITION, (tx, alone, wait) -> {
      List<JobRow> ended = write(tx, alone, wait);
      return ended.isEmpty() ? repeatOfTheWinner(tx, completion) : ended;
    }).toMessage();
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

  /** A worker whose answer was lost asks again: what it did already is told, not done twice. */
  private static List<JobRow> repeatOfTheWinner(Transaction tx, Completion completion) {
    JobRow job = tx.jobs().find(completion.call().jobId());
    boolean repeats = job != null
        && job.state().equals("succeeded")
        && completion.call().token().isOf(job)
        && completion.call().holder().name().equals(job.claimedBy())
        && completion.outcome().equals(job.outcome())
        && Objects.equals(completion.attestationDigest(), job.attestationDigest());
    return repeats ? List.of(job) : List.of();
  }
}
