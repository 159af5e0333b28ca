package dev.agwp.server.job;

import static java.util.Comparator.comparing;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.lease.IntegrationEvents;
import dev.agwp.server.storage.Coalescer;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.Transaction;
import dev.agwp.server.storage.UniqueViolation;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.ibatis.exceptions.PersistenceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes what callers ask for at the same moment in one transaction, each kind of call in one statement (ADR-0015).
 *
 * <p>This is the short way for those that succeed. A call that changed nothing is applied again, alone, by its caller, and learns there
 * why; so is every call of a transaction that failed, because one of them broke a constraint or met a lock.
 */
public final class CoalescedCalls {
  private static final Logger LOG = LoggerFactory.getLogger(CoalescedCalls.class);
  private static final int CALLS_MAX = 128;
  /** A call that has more to write than this makes no others wait for it. */
  private static final int BYTES_MAX = 64 * 1024;

  private final Database database;
  private final DueJobs dueJobs;
  private final DistributionSummary together;
  private final Coalescer<JobCall, Answer> coalescer = new Coalescer<>(CALLS_MAX, JobCall::subject, this::written);

  public CoalescedCalls(Database database, DueJobs dueJobs, MeterRegistry metrics) {
    this.database = database;
    this.dueJobs = dueJobs;
    Gauge.builder("agwp.calls.waiting", coalescer, Coalescer::waiting)
        .description("Calls that wait to be written")
        .register(metrics);
    Gauge.builder("agwp.calls.in.work", coalescer, Coalescer::inWork)
        .description("Calls that are being written")
        .register(metrics);
    together = DistributionSummary.builder("agwp.calls.together")
        .description("Calls that were written in one transaction")
        .register(metrics);
  }

  /**
   * What came of each call, in their order; null for one of which nothing was written, and which is to be applied alone.
   *
   * @param calls of one caller, no two of them about the same
   */
  List<Answer> apply(List<? extends JobCall> calls) {
    List<JobCall> small = calls.stream().filter(call -> call.bytes() <= BYTES_MAX).map(JobCall.class::cast).toList();
    Iterator<Answer> answers = coalescer.apply(small).iterator();
    return calls.stream().map(call -> call.bytes() <= BYTES_MAX ? answers.next() : null).collect(Collectors.toList());
  }

  /**
   * What a call left.
   *
   * @param jobs those it changed: of a call of a holder its job, and the one that it claimed next
   * @param refusal {@code unavailable} when the database could not be reached, or broke off while it committed; else null
   */
  record Answer(List<JobRow> jobs, ApiException refusal) {
    List<JobRow> orThrow() {
      if (refusal != null) {
        throw refusal;
      }
      return jobs;
    }
  }

  /** How far a transaction has come: what fails while it writes was undone, and may be the fault of one call. */
  private enum Stage { BEGINS, WRITES, COMMITS }

  private List<Answer> written(List<JobCall> calls) {
    Stage[] stage = {Stage.BEGINS};
    Batch batch = new Batch();
    try {
      database.inTransaction(tx -> {
        stage[0] = Stage.WRITES;
        batch.write(tx, calls);
        stage[0] = Stage.COMMITS;
        return batch;
      });
    } catch (ApiException unavailable) {
      Answer answer = stage[0] == Stage.WRITES ? null : new Answer(null, unavailable);
      return calls.stream().map(call -> answer).toList();
    } catch (PersistenceException | UniqueViolation faultOfOne) {
      LOG.debug("{} calls are applied alone: {}", calls.size(), faultOfOne.getMessage());
      return calls.stream().map(call -> (Answer) null).toList();
    }
    together.record(calls.size());
    dueJobs.announce(batch.settled);
    return calls.stream().map(call -> batch.jobs.containsKey(call) ? new Answer(batch.jobs.get(call), null) : null).toList();
  }

  /** What one transaction wrote, by call. */
  private static final class Batch {
    private final Map<JobCall, List<JobRow>> jobs = new IdentityHashMap<>();
    private final List<SettledJob> settled = new ArrayList<>();

    /** Claims come last, so that they see what the others have made claimable. */
    private void write(Transaction tx, List<JobCall> calls) {
      jobs.clear();
      settled.clear();
      ofHolders(tx, only(Completion.class, calls), (now, completions) -> CompleteJob.write(now, completions, false));
      ofHolders(tx, only(Failure.class, calls), (now, failures) -> now.jobs().fail(failures, false));
      ofHolders(tx, only(Release.class, calls), (now, releases) -> now.jobs().release(releases, false));
      ofHolders(tx, only(Heartbeat.class, calls), (now, heartbeats) -> now.jobs().heartbeat(heartbeats, false));
      // In one order everywhere, so that transactions which insert the same unique keys wait for each other and never in a circle.
      List<NewJob> newJobs = only(NewJob.class, calls).stream().sorted(comparing(job -> String.valueOf(job.subject()))).toList();
      if (!newJobs.isEmpty()) {
        EnqueueJob.write(tx, newJobs).forEach((job, row) -> jobs.put(job, List.of(row)));
      }
      List<Claiming> claims = only(Claiming.class, calls);
      List<OfHolder> goOn = jobs.keySet().stream().filter(OfHolder.class::isInstance).map(OfHolder.class::cast)
          .filter(call -> call.next() != null).toList();
      List<Claiming> all = Stream.concat(claims.stream(), goOn.stream().map(OfHolder::next)).toList();
      if (!all.isEmpty()) {
        settled.addAll(ClaimJob.write(tx, all, jobs));
      }
      goOn.forEach(call -> jobs.merge(call, jobs.get(call.next()), Batch::joined));
    }

    private static List<JobRow> joined(List<JobRow> some, List<JobRow> more) {
      return Stream.concat(some.stream(), more.stream()).toList();
    }

    private <C extends OfHolder> void ofHolders(Transaction tx, List<C> calls, BiFunction<Transaction, List<C>, List<JobRow>> write) {
      if (calls.isEmpty()) {
        return;
      }
      Map<String, JobRow> changed = JobRow.byId(write.apply(tx, calls));
      List<C> applied = calls.stream().filter(call -> changed.containsKey(call.call().jobId())).toList();
      applied.forEach(call -> jobs.put(call, List.of(changed.get(call.call().jobId()))));
      IntegrationEvents.audit(tx, applied.stream().map(call -> JobEvents.applied(call, changed.get(call.call().jobId()))).toList());
      HolderCalls.countUnfenced(tx, applied.stream().map(OfHolder::call).toList(), call -> changed.get(call.jobId()).queue());
    }

    private static <C extends JobCall> List<C> only(Class<C> kind, List<JobCall> calls) {
      return calls.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
  }
}
