package dev.agwp.server.lease;

import dev.agwp.server.http.Caller;
import dev.agwp.server.message.AcquireLeaseRequest;
import dev.agwp.server.storage.Database;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** acquireLease: leases paths at once, or waits for them without holding a thread. */
final class AcquireLease {
  static final int TTL_SECONDS_DEFAULT = 60;
  private static final int WAIT_SECONDS_DEFAULT = 0;

  private final Database database;
  private final LeaseWaiters waiters;

  AcquireLease(Database database, LeaseWaiters waiters) {
    this.database = database;
    this.waiters = waiters;
  }

  /** @param callerGone tells when nobody would read the answer, or may have it, any more, so that nothing is leased for it */
  CompletionStage<Attempt> run(Caller caller, AcquireLeaseRequest request, BooleanSupplier callerGone) {
    Acquiring asked = Acquiring.of(caller, request);
    int waitSeconds = request.getWaitSeconds() == null ? WAIT_SECONDS_DEFAULT : request.getWaitSeconds();
    if (waitSeconds > 0) {
      return waiters.acquireOrWait(asked, waitSeconds, callerGone);
    }
    return CompletableFuture.completedFuture(database.inTransaction(tx -> {
      Attempt attempt = Grant.attempt(tx, asked, null);
      if (!attempt.isGranted()) {
        throw attempt.blocker().refusal(asked);
      }
      return attempt;
    }));
  }
}
