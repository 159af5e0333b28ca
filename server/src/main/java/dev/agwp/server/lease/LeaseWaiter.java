package dev.agwp.server.lease;

import dev.agwp.server.http.ApiException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** One acquire that waits; its ticket is its place in the order of arrival. */
final class LeaseWaiter {
  private final Acquiring asked;
  private final BooleanSupplier callerGone;
  private final CompletableFuture<Attempt> answer = new CompletableFuture<>();
  private long ticket;
  private Blocker blocker;

  LeaseWaiter(Acquiring asked, BooleanSupplier callerGone) {
    this.asked = asked;
    this.callerGone = callerGone;
  }

  Acquiring asked() {
    return asked;
  }

  boolean callerIsGone() {
    return callerGone.getAsBoolean();
  }

  CompletableFuture<Attempt> answer() {
    return answer;
  }

  long ticket() {
    return ticket;
  }

  void hasTicket(long number) {
    ticket = number;
  }

  /** Answers with the lease, or remembers what stands in its way. */
  void tried(Attempt attempt) {
    if (attempt.isGranted()) {
      answer.complete(attempt);
    } else {
      blocker = attempt.blocker();
    }
  }

  void refuse() {
    refuse(blocker.refusal(asked));
  }

  void refuse(ApiException refusal) {
    answer.completeExceptionally(refusal);
  }
}
