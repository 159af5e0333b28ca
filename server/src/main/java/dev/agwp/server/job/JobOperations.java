package dev.agwp.server.job;

import dev.agwp.server.attestation.SigningKeys;
import dev.agwp.server.queue.QueueSignals;
import dev.agwp.server.storage.Database;
import io.micrometer.core.instrument.MeterRegistry;

/** The operations on jobs, one object for each. */
public record JobOperations(
    EnqueueJob enqueue,
    ClaimJob claim,
    HeartbeatJob heartbeat,
    CompleteJob complete,
    FailJob fail,
    ReleaseJob release,
    CancelJob cancel,
    RetryJob retry,
    ReadJobs read) {

  /** @param fencingRequired whether calls of holders must carry a fencing token, whatever their queue says */
  public static JobOperations on(
      Database database, QueueSignals signals, DueJobs dueJobs, ClaimWaiters waiters, MeterRegistry metrics,
      boolean fencingRequired) {
    CoalescedCalls coalesced = new CoalescedCalls(database, dueJobs, metrics);
    HolderCalls calls = new HolderCalls(database, coalesced, dueJobs, fencingRequired);
    return new JobOperations(
        new EnqueueJob(database, coalesced, signals, dueJobs),
        new ClaimJob(database, coalesced, dueJobs, waiters),
        new HeartbeatJob(calls),
        new CompleteJob(calls, new SigningKeys(database), metrics),
        new FailJob(calls, signals, dueJobs),
        new ReleaseJob(calls, signals),
        new CancelJob(database),
        new RetryJob(database, signals),
        new ReadJobs(database));
  }
}
