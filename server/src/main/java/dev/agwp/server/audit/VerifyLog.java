package dev.agwp.server.audit;

import dev.agwp.server.storage.Database;
import dev.agwp.spec.audit.Chain;
import dev.agwp.spec.audit.Checkpoint;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** audit verify: reads the whole log, a page at a time, and tells how it differs from what was sealed. Servers may write meanwhile. */
public final class VerifyLog {
  private static final int PAGE_EVENTS = 5_000;

  /** The ways to tamper that can be told apart. */
  public enum Tampering {
    /** A sealed event does not give its hash: its bytes, its hash or its place were changed. */
    EDIT,
    /** An event inside of the log is missing. */
    DELETION,
    /** The chain is whole, but is not the one that a checkpoint or the head stands for. */
    FORK,
    /** The log ends before a checkpoint or the head says. */
    TRUNCATION;

    public String word() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Told after each page. */
  public interface Progress {
    void at(long seq, long headSeq);
  }

  /**
   * What was found.
   *
   * @param events how many events are as they were sealed
   * @param tampering null when all are
   * @param message where the log differs first and how; null when it does not
   */
  public record Verdict(long events, Tampering tampering, String message) {}

  private final Database database;
  private final Collection<Checkpoint> checkpoints;
  private final Progress progress;
  private long seq;
  private byte[] chain = Chain.empty();

  /** @param checkpoints what the log was known to hold; none is fine, but then a log that was written anew, or cut with its head, passes */
  public VerifyLog(Database database, Collection<Checkpoint> checkpoints, Progress progress) {
    this.database = database;
    this.checkpoints = checkpoints;
    this.progress = progress;
  }

  public Verdict run() {
    while (true) {
      // Before the events: what is sealed by now must be found then.
      HeadRow head = database.read(tx -> tx.auditLog().findHead());
      if (head == null) {
        return found(Tampering.TRUNCATION, "the head of the log is gone");
      }
      // From the least number there can be: what stands before the first event was put there.
      List<EventRow> page = database.read(tx -> tx.auditLog().events(seq == 0 ? Long.MIN_VALUE : seq, PAGE_EVENTS));
      for (EventRow event : page) {
        Verdict bad = badEvent(event);
        if (bad != null) {
          return bad;
        }
      }
      progress.at(seq, head.seq());
      if (page.isEmpty()) {
        return atTheEnd(head);
      }
    }
  }

  /** Null when the event is the next of the chain and all checkpoints agree. */
  private Verdict badEvent(EventRow event) {
    long next = seq + 1;
    if (event.seq() < next) {
      return found(Tampering.EDIT, "an event stands at " + event.seq() + ", before the first: nothing is ever sealed there");
    }
    if (event.seq() != next) {
      return found(Tampering.DELETION, "event " + next + " is missing: event " + event.seq() + " is the next there is");
    }
    byte[] hash = Chain.next(chain, next, Chain.leaf(event.preimage()));
    if (!Arrays.equals(hash, event.chainHash())) {
      return found(Tampering.EDIT,
          "event " + next + " does not give its hash; it says now " + described(event) + ", and events before it are as they were sealed");
    }
    for (Checkpoint checkpoint : checkpoints) {
      if (checkpoint.size() == next && !Arrays.equals(checkpoint.hash(), hash)) {
        return found(Tampering.FORK, "the chain up to event " + next + " is whole, but is not the one of the checkpoint of that size; "
            + "an event at or before it is another");
      }
    }
    seq = next;
    chain = hash;
    return null;
  }

  private Verdict atTheEnd(HeadRow head) {
    for (Checkpoint checkpoint : checkpoints) {
      if (!checkpoint.origin().equals(head.checkpoint().origin())) {
        return found(Tampering.FORK, "the checkpoint is of " + checkpoint.origin() + ", and this log is " + head.checkpoint().origin());
      }
      if (checkpoint.size() > seq) {
        return found(Tampering.TRUNCATION, "the log ends at event " + seq + ", and a checkpoint covers " + checkpoint.size());
      }
    }
    if (head.seq() > seq) {
      return found(Tampering.TRUNCATION, "the log ends at event " + seq + ", and its head says " + head.seq());
    }
    if (head.seq() < seq || !Arrays.equals(head.chainHash(), chain)) {
      return found(Tampering.FORK, "the chain up to event " + seq + " is whole, but is not the one of the head, which says " + head.seq());
    }
    return new Verdict(seq, null, null);
  }

  private static String described(EventRow event) {
    return Event.read(event.preimage()).map(said -> said.text(Field.KIND) + " of job " + said.text(Field.JOB_ID))
        .orElse("nothing that this release can read");
  }

  private Verdict found(Tampering tampering, String message) {
    return new Verdict(seq, tampering, message);
  }
}
