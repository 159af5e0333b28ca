package dev.agwp.server.lease;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.job.NewJob;
import dev.agwp.server.message.IntegrateRequest;
import dev.agwp.server.storage.Transaction;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What integrations leave in the audit log (ADR-0022). */
public final class IntegrationEvents {
  private static final Set<String> ALWAYS_MOVE =
      Set.of(EventKind.JOB_COMPLETED.word(), EventKind.JOB_CANCELLED.word(), EventKind.JOB_RETRIED.word());
  private static final Set<String> MOVE_TO_DEAD = Set.of(EventKind.JOB_FAILED.word(), EventKind.JOB_LEASE_EXPIRED.word());

  private IntegrationEvents() {}

  /** @param job that validates the change; null for none */
  static Event accepted(Caller caller, IntegrateRequest request, IntegrationRow integration, NewJob job) {
    return of(EventKind.INTEGRATION_ACCEPTED, integration, integration.createdAt())
        .with(Field.PRINCIPAL, caller.principal())
        .with(Field.WORKER, request.getHolder())
        .with(Field.QUEUE, job == null ? null : job.queue())
        .with(Field.REQUEST_ID, caller.requestId());
  }

  /** Of a change that was not taken in: what it was and why, so that who came too late is on record. */
  static Event refused(Caller caller, IntegrateRequest request, ApiException refusal, long atMs) {
    return Event.of(EventKind.INTEGRATION_REFUSED, atMs)
        .with(Field.PRINCIPAL, caller.principal())
        .with(Field.WORKER, request.getHolder())
        .with(Field.REASON, refusal.reason().word())
        .with(Field.SUBJECT_DIGEST, request.getChangeDigest())
        .with(Field.DETAIL, detail(request.getRepo(), JsonList.text(request.getPaths()), JsonList.text(request.getFencingTokens())))
        .with(Field.REQUEST_ID, caller.requestId());
  }

  /**
   * Leaves the events of jobs, and of each integration that they move: its state is read from its job, so it has moved with it.
   *
   * @param ofJobs of changes that this transaction has made
   */
  public static void audit(Transaction tx, List<Event> ofJobs) {
    ofJobs.forEach(tx::audit);
    Map<String, Event> moves = ofJobs.stream().filter(IntegrationEvents::mayMove)
        .collect(Collectors.toMap(event -> event.text(Field.JOB_ID), Function.identity()));
    if (!moves.isEmpty()) {
      tx.integrations().ofJobs(moves.keySet()).forEach(moved -> tx.audit(moved(moved, moves.get(moved.jobId()))));
    }
  }

  private static boolean mayMove(Event ofJob) {
    String kind = ofJob.text(Field.KIND);
    return ALWAYS_MOVE.contains(kind) || MOVE_TO_DEAD.contains(kind) && ofJob.text(Field.OUTCOME).equals("dead");
  }

  private static Event moved(IntegrationRow integration, Event ofJob) {
    return of(EventKind.INTEGRATION_MOVED, integration, ofJob.atMs())
        .with(Field.PRINCIPAL, ofJob.text(Field.PRINCIPAL))
        .with(Field.WORKER, ofJob.text(Field.WORKER))
        .with(Field.QUEUE, ofJob.text(Field.QUEUE))
        .with(Field.ATTEMPTS, ofJob.number(Field.ATTEMPTS))
        .with(Field.REQUEST_ID, ofJob.text(Field.REQUEST_ID));
  }

  private static Event of(EventKind kind, IntegrationRow integration, long atMs) {
    return Event.of(kind, atMs)
        .with(Field.JOB_ID, integration.jobId())
        .with(Field.OUTCOME, integration.state())
        .with(Field.SUBJECT_DIGEST, integration.changeDigest())
        .with(Field.SUBJECT, integration.integrationId())
        .with(Field.DETAIL, "sequence=" + integration.sequence() + " "
            + detail(integration.repo(), integration.paths(), integration.fencingTokens()));
  }

  /** The tokens, of which there may be many, come last: a text is cut at 1,000 characters. */
  private static String detail(String repo, String paths, String fencingTokens) {
    return "repo=" + repo + " paths=" + LeaseEvents.digest(paths) + " fencing_tokens=" + fencingTokens;
  }
}
