package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.JsonObject;
import dev.agwp.server.http.Scope;
import dev.agwp.server.job.EnqueueJob;
import dev.agwp.server.job.Holder;
import dev.agwp.server.job.JobRow;
import dev.agwp.server.job.NewJob;
import dev.agwp.server.message.EnqueueJobRequest;
import dev.agwp.server.message.IntegrateRequest;
import dev.agwp.server.message.Integration;
import dev.agwp.server.message.Validation;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import java.util.List;
import java.util.Objects;

/** integrate: takes a change in while its leases hold, and has it validated (ADR-0022). */
final class Integrate {
  private final Database database;
  private final EnqueueJob enqueue;
  private final TimeBasedEpochGenerator integrationIds = Generators.timeBasedEpochGenerator();

  Integrate(Database database, EnqueueJob enqueue) {
    this.database = database;
    this.enqueue = enqueue;
  }

  record Integrated(Integration integration, boolean stored) {}

  private record Decided(Integrated integrated, ApiException refusal) {}

  Integrated run(Caller caller, IntegrateRequest request) {
    RepoPath.checked(request.getPaths());
    String holder = Holder.of(caller, request.getHolder()).name();
    NewJob job = job(caller, request);
    Decided decided = database.inTransaction(tx -> {
      // Null where nobody ever leased: nothing is covered there, and no row is left of it.
      LeaseRepo repo = tx.leases().lock(request.getRepo());
      IntegrationRow before = request.getRequestId() == null ? null
          : tx.integrations().findRepeated(request.getRepo(), holder, request.getRequestId());
      if (before != null) {
        return new Decided(new Integrated(sameRequest(tx, request, before, job).toMessage(), false), null);
      }
      List<CoveredPath> paths;
      try {
        paths = CurrentLeases.require(tx, repo, holder, request);
      } catch (ApiException refusal) {
        tx.audit(IntegrationEvents.refused(caller, request, refusal, tx.auditLog().now()));
        // Returned and not thrown: the event must outlive the refusal.
        return new Decided(null, refusal);
      }
      IntegrationRow stored = store(tx, repo, holder, request, paths, job);
      tx.audit(IntegrationEvents.accepted(caller, request, stored, job));
      return new Decided(new Integrated(stored.toMessage(), true), null);
    });
    if (decided.refusal() != null) {
      throw decided.refusal();
    }
    if (job != null && decided.integrated().stored()) {
      enqueue.announce(job);
    }
    return decided.integrated();
  }

  /** Null where no validation is asked for. */
  private NewJob job(Caller caller, IntegrateRequest request) {
    Validation validation = request.getValidation();
    if (validation == null) {
      return null;
    }
    // The job is one as any other: without this it could be put on a queue by a credential that may not.
    caller.checkScope("validation", Scope.ENQUEUE);
    caller.checkQueue("validation.queue", validation.getQueue());
    return enqueue.newJob(caller, new EnqueueJobRequest()
        .queue(validation.getQueue())
        .payload(validation.getPayload())
        .maxAttempts(validation.getMaxAttempts())
        .subjectDigest(request.getChangeDigest()), "validation.payload");
  }

  private static IntegrationRow sameRequest(Transaction tx, IntegrateRequest request, IntegrationRow before, NewJob job) {
    boolean same = before.changeDigest().equals(request.getChangeDigest()) && before.pathList().equals(request.getPaths())
        && Objects.equals(before.base(), request.getBase()) && sameJob(tx, before.jobId(), job);
    if (!same) {
      throw new ApiException(INVALID_ARGUMENT, "request_id was used for another change_digest, base or validation, or for other paths, "
          + "or in another order; use a new one").at("request_id");
    }
    return before;
  }

  /** But for the attempts it may have, which a retry raises. */
  private static boolean sameJob(Transaction tx, String jobId, NewJob job) {
    if (jobId == null || job == null) {
      return jobId == null && job == null;
    }
    JobRow before = tx.jobs().find(jobId);
    return before == null || before.queue().equals(job.queue()) && JsonObject.read(before.payload()).equals(JsonObject.read(job.payload()));
  }

  private IntegrationRow store(
      Transaction tx, LeaseRepo repo, String holder, IntegrateRequest request, List<CoveredPath> paths, NewJob job) {
    long sequence = tx.integrations().nextSequence(repo.repo());
    String id = integrationIds.generate().toString();
    tx.integrations().store(new NewIntegration(
        repo.repo(), sequence, id, request.getChangeDigest(), JsonList.text(request.getPaths()),
        JsonList.text(request.getFencingTokens()), request.getBase(), holder, request.getRequestId(),
        job == null ? null : job.jobId(), repo.nowMs()));
    tx.integrations().storePaths(repo.repo(), sequence, paths);
    if (job != null) {
      enqueue.store(tx, job);
    }
    return tx.integrations().find(id);
  }
}
