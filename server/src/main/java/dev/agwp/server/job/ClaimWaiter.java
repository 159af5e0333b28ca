package dev.agwp.server.job;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** One claim that waits. Its tries never overlap, so it cannot take jobs twice. */
final class ClaimWaiter {
  private final List<String> queues;
  private final BooleanSupplier callerGone;
  private final Supplier<List<JobRow>> claim;
  private final CompletableFuture<List<JobRow>> answer = new CompletableFuture<>();
  private boolean trying;
  private boolean tryAgain;
  private boolean over;

  ClaimWaiter(List<String> queues, BooleanSupplier callerGone, Supplier<List<JobRow>> claim) {
    this.queues = queues;
    this.callerGone = callerGone;
    this.claim = claim;
  }

  List<String> queues() {
    return queues;
  }

  CompletableFuture<List<JobRow>> answer() {
    return answer;
  }

  /** True when this claim is answered and no longer waits, so that the next one may try. */
  boolean tryNow() {
    if (!begin()) {
      return answer.isDone();
    }
    do {
      if (callerGone.getAsBoolean()) {
        // Nobody would read the answer: a job taken now would be held by nobody until its lease runs out.
        return answer.complete(List.of());
      }
      try {
        List<JobRow> jobs = claim.get();
        if (!jobs.isEmpty()) {
          return answer.complete(jobs);
        }
      } catch (RuntimeException failed) {
        return answer.completeExceptionally(failed);
      }
    } while (again());
    return answer.isDone();
  }

  /** The wait is over: answers with no jobs, unless a try is under way and finds some. */
  void waitIsOver() {
    synchronized (this) {
      over = true;
      if (trying) {
        return;
      }
    }
    answer.complete(List.of());
  }

  /** Whether another try was wanted while one was under way or after the last. */
  synchronized boolean wasSignalled() {
    return tryAgain;
  }

  private synchronized boolean begin() {
    if (trying || answer.isDone()) {
      tryAgain = true;
      return false;
    }
    trying = true;
    return true;
  }

  private boolean again() {
    synchronized (this) {
      if (!over && tryAgain) {
        tryAgain = false;
        return true;
      }
      trying = false;
      if (!over) {
        return false;
      }
    }
    answer.complete(List.of());
    return false;
  }
}
