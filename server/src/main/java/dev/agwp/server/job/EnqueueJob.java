package dev.agwp.server.job;

import static dev.agwp.server.http.ErrorCode.UNAVAILABLE;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.impl.TimeBasedEpochGenerator;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.JsonObject;
import dev.agwp.server.http.Timestamps;
import dev.agwp.server.message.EnqueueJobRequest;
import dev.agwp.server.message.Job;
import dev.agwp.server.queue.QueueSignals;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** enqueueJob and enqueueJobs: stores jobs, or finds the ones that are alive under their unique keys. */
public final class EnqueueJob {
  private static final long MAX_ATTEMPTS_DEFAULT = 5;
  private static final int PRIORITY_DEFAULT = 0;
  /** A unique key can be freed between the refused insert and the look-up; each such race takes one more try. */
  private static final int UNIQUE_KEY_TRIES_MAX = 5;

  private final Database database;
  private final CoalescedCalls coalesced;
  private final QueueSignals signals;
  private final DueJobs dueJobs;
  private final TimeBasedEpochGenerator jobIds = Generators.timeBasedEpochGenerator();

  public EnqueueJob(Database database, CoalescedCalls coalesced, QueueSignals signals, DueJobs dueJobs) {
    this.database = database;
    this.coalesced = coalesced;
    this.signals = signals;
    this.dueJobs = dueJobs;
  }

  record Enqueued(Job job, boolean stored) {}

  Enqueued one(Caller caller, EnqueueJobRequest request) {
    caller.checkQueue("queue", request.getQueue());
    NewJob job = newJob(caller, request, "payload");
    CoalescedCalls.Answer answer = coalesced.apply(List.of(job)).get(0);
    Found found = answer == null ? database.inTransaction(tx -> store(tx, List.of(job))).get(0)
        : new Found(answer.orThrow().get(0), true);
    announce(List.of(found));
    return new Enqueued(found.row().toMessage(), found.stored());
  }

  List<Job> all(Caller caller, List<EnqueueJobRequest> requests) {
    List<NewJob> jobs = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      caller.checkQueue("jobs[" + i + "].queue", requests.get(i).getQueue());
      jobs.add(newJob(caller, requests.get(i), "jobs[" + i + "].payload"));
    }
    List<Found> found = database.inTransaction(tx -> store(tx, jobs));
    announce(found);
    return found.stream().map(job -> job.row().toMessage()).toList();
  }

  /** Stores a job together with what else the transaction stores; {@link #announce} it after the commit. */
  public void store(Transaction tx, NewJob job) {
    write(tx, List.of(job));
  }

  public void announce(NewJob job) {
    signals.mayBeClaimable(job.queue());
  }

  private record Found(JobRow row, boolean stored) {}

  /** @param payloadField what the caller's request calls the payload */
  public NewJob newJob(Caller caller, EnqueueJobRequest request, String payloadField) {
    Map<String, Object> payload = request.getPayload() == null ? Map.of() : request.getPayload();
    return new NewJob(
        jobIds.generate().toString(),
        request.getQueue(),
        JsonObject.text(payloadField, payload),
        request.getPriority() == null ? PRIORITY_DEFAULT : request.getPriority(),
        Timestamps.toMillis(request.getRunAt()),
        request.getMaxAttempts() == null ? MAX_ATTEMPTS_DEFAULT : request.getMaxAttempts(),
        request.getUniqueKey(),
        request.getSubjectDigest(),
        caller);
  }

  private static List<Found> store(Transaction tx, List<NewJob> jobs) {
    Map<NewJob, JobRow> stored = write(tx, jobs);
    return jobs.stream().map(job -> stored.containsKey(job) ? new Found(stored.get(job), true) : storeOrFind(tx, job)).toList();
  }

  /** The jobs that were stored, in their order; not one whose unique key another job had. */
  static Map<NewJob, JobRow> write(Transaction tx, List<NewJob> jobs) {
    tx.ensureQueues(jobs.stream().map(NewJob::queue).toList());
    Map<String, JobRow> stored = JobRow.byId(tx.jobs().enqueue(jobs));
    Map<NewJob, JobRow> rows = new IdentityHashMap<>();
    jobs.stream().filter(job -> stored.containsKey(job.jobId())).forEach(job -> {
      rows.put(job, stored.get(job.jobId()));
      tx.audit(JobEvents.enqueued(job, rows.get(job)));
    });
    return rows;
  }

  private static Found storeOrFind(Transaction tx, NewJob job) {
    for (int tries = 0; tries < UNIQUE_KEY_TRIES_MAX; tries++) {
      JobRow alive = tx.jobs().findLiveByUniqueKey(job.queue(), job.uniqueKey());
      if (alive != null) {
        return new Found(alive, false);
      }
      List<JobRow> stored = tx.jobs().enqueue(List.of(job));
      if (!stored.isEmpty()) {
        tx.audit(JobEvents.enqueued(job, stored.get(0)));
        return new Found(stored.get(0), true);
      }
    }
    throw new ApiException(UNAVAILABLE, "jobs with the unique key " + job.uniqueKey() + " come and go too fast; try again");
  }

  private void announce(List<Found> jobs) {
    Set<String> queues = new LinkedHashSet<>();
    for (Found job : jobs) {
      if (job.stored()) {
        queues.add(job.row().queue());
        dueJobs.mayBeDueIn(job.row().runAt() - job.row().createdAt());
      }
    }
    queues.forEach(signals::mayBeClaimable);
  }
}
