package dev.agwp.server.lease;

import dev.agwp.server.api.LeasesApi;
import dev.agwp.server.http.Answer;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.ClientConnection;
import dev.agwp.server.http.CurrentRequest;
import dev.agwp.server.message.AcquireLeaseRequest;
import dev.agwp.server.message.Lease;
import dev.agwp.server.message.ListLeasesResponse;
import dev.agwp.server.message.ReleaseLeaseRequest;
import dev.agwp.server.message.RenewLeaseRequest;
import dev.agwp.server.storage.Database;
import jakarta.ws.rs.container.ContainerRequestContext;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** The operations on leases over HTTP. */
public final class LeaseResource implements LeasesApi {
  private static final int CREATED = 201;

  private final AcquireLease acquire;
  private final RenewLease renew;
  private final ReleaseLease release;
  private final ReadLeases read;

  /** @param freed told the repo in which paths have become free */
  public LeaseResource(Database database, LeaseWaiters waiters, Consumer<String> freed) {
    acquire = new AcquireLease(database, waiters);
    renew = new RenewLease(database);
    release = new ReleaseLease(database, freed);
    read = new ReadLeases(database);
  }

  @Override
  public CompletionStage<Lease> acquireLease(AcquireLeaseRequest message) {
    ContainerRequestContext request = CurrentRequest.get();
    BooleanSupplier gone = ClientConnection.gone(request);
    BooleanSupplier lapsed = Caller.lapsed(request);
    return acquire.run(Caller.of(request), message, () -> gone.getAsBoolean() || lapsed.getAsBoolean()).thenApply(granted -> {
      if (granted.isNew()) {
        Answer.status(request, CREATED);
      }
      return granted.lease().toMessage();
    });
  }

  @Override
  public ListLeasesResponse listLeases(String repo, Integer pageSize, String pageToken) {
    return read.page(repo, pageSize, pageToken);
  }

  @Override
  public Lease renewLease(String leaseId, RenewLeaseRequest message) {
    return renew.run(Caller.of(CurrentRequest.get()), leaseId, message);
  }

  @Override
  public Lease releaseLease(String leaseId, ReleaseLeaseRequest message) {
    return release.run(Caller.of(CurrentRequest.get()), leaseId, message);
  }
}
