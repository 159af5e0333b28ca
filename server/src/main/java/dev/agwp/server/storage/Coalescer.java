package dev.agwp.server.storage;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies calls that wait at the same moment together. Whoever finds nobody at work applies its own call at once; those that come
 * meanwhile wait, and one of them applies them all as soon as the first is done. There is no timer and no thread of its own, so a lone
 * call is not delayed.
 *
 * @param <C> a call
 * @param <A> the answer to one
 */
public final class Coalescer<C, A> {
  private static final Logger LOG = LoggerFactory.getLogger(Coalescer.class);

  private final int callsMax;
  private final Function<C, Object> subject;
  private final Function<List<C>, List<A>> work;
  private final Set<Waiting<C, A>> waiting = new LinkedHashSet<>();
  private boolean busy;
  private int inWork;

  /**
   * @param callsMax the most calls that are applied together
   * @param subject what a call is about: two calls about the same are never applied together, and keep their order
   * @param work applies the calls and answers each, in their order
   */
  public Coalescer(int callsMax, Function<C, Object> subject, Function<List<C>, List<A>> work) {
    this.callsMax = callsMax;
    this.subject = subject;
    this.work = work;
  }

  private static final class Waiting<C, A> {
    private final C call;
    /** Completes with true when it is this call's turn to apply those that wait, with false when it was applied. */
    private final CompletableFuture<Boolean> turn = new CompletableFuture<>();
    private A answer;

    private Waiting(C call) {
      this.call = call;
    }
  }

  /** How many calls wait to be applied now. */
  public int waiting() {
    synchronized (waiting) {
      return waiting.size();
    }
  }

  /** How many calls are being applied now. */
  public int inWork() {
    synchronized (waiting) {
      return inWork;
    }
  }

  /** The answers to calls of one caller, in their order; null for one that met an error which may not have been its own. */
  public List<A> apply(List<C> calls) {
    List<Waiting<C, A>> mine = calls.stream().map(call -> new Waiting<C, A>(call)).toList();
    if (isMyTurn(mine)) {
      applyWaiting();
    }
    for (Waiting<C, A> each : mine) {
      // The longest waiting call is told that it is its turn, so of mine it is always the first that is left.
      if (each.turn.join()) {
        applyWaiting();
      }
    }
    return mine.stream().map(each -> each.answer).collect(Collectors.toList());
  }

  private boolean isMyTurn(List<Waiting<C, A>> mine) {
    synchronized (waiting) {
      waiting.addAll(mine);
      boolean free = !busy && !mine.isEmpty();
      busy |= free;
      return free;
    }
  }

  private void applyWaiting() {
    List<Waiting<C, A>> batch = next();
    try {
      List<A> answers = work.apply(batch.stream().map(each -> each.call).toList());
      for (int i = 0; i < batch.size(); i++) {
        batch.get(i).answer = answers.get(i);
      }
    } catch (Throwable failed) {
      // Whatever it is: those that wait must be told, or they would wait for ever.
      LOG.error("{} calls could not be applied together", batch.size(), failed);
    } finally {
      // First the next ones, so that they are on their way while these are answered.
      handOver();
      batch.forEach(each -> each.turn.complete(false));
    }
  }

  /** The calls that waited longest; the first of them is always among them. */
  private List<Waiting<C, A>> next() {
    List<Waiting<C, A>> batch = new ArrayList<>();
    Set<Object> subjects = new HashSet<>();
    synchronized (waiting) {
      for (Iterator<Waiting<C, A>> each = waiting.iterator(); each.hasNext() && batch.size() < callsMax; ) {
        Waiting<C, A> candidate = each.next();
        if (subjects.add(subject.apply(candidate.call))) {
          batch.add(candidate);
          each.remove();
        }
      }
      inWork = batch.size();
    }
    return batch;
  }

  private void handOver() {
    Waiting<C, A> leader = null;
    synchronized (waiting) {
      inWork = 0;
      if (waiting.isEmpty()) {
        busy = false;
      } else {
        leader = waiting.iterator().next();
      }
    }
    if (leader != null) {
      leader.turn.complete(true);
    }
  }
}
