package dev.agwp.server.job;

import dev.agwp.server.queue.QueueSignals;
import dev.agwp.server.storage.Database;

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

  public static JobOperations on(Database database, QueueSignals signals, DueJobs dueJobs, ClaimWaiters waiters) {
    return new JobOperations(
        new EnqueueJob(database, signals, dueJobs),
        new ClaimJob(database, dueJobs, waiters),
        new HeartbeatJob(database),
        new CompleteJob(database),
        new FailJob(database, signals, dueJobs),
        new ReleaseJob(database, signals),
        new CancelJob(database),
        new RetryJob(database, signals),
        new ReadJobs(database));
  }
}
