package dev.agwp.server.lease;

import dev.agwp.server.api.IntegrationsApi;
import dev.agwp.server.http.Answer;
import dev.agwp.server.http.Caller;
import dev.agwp.server.http.CurrentRequest;
import dev.agwp.server.job.EnqueueJob;
import dev.agwp.server.message.IntegrateRequest;
import dev.agwp.server.message.Integration;
import dev.agwp.server.message.ListIntegrationsResponse;
import dev.agwp.server.storage.Database;

/** The operations on integrations over HTTP. */
public final class IntegrationResource implements IntegrationsApi {
  private static final int CREATED = 201;

  private final Integrate integrate;
  private final ReadIntegrations read;

  /** @param enqueue puts the jobs that validate changes on their queues */
  public IntegrationResource(Database database, EnqueueJob enqueue) {
    integrate = new Integrate(database, enqueue);
    read = new ReadIntegrations(database);
  }

  @Override
  public Integration integrate(IntegrateRequest message) {
    Integrate.Integrated integrated = integrate.run(Caller.of(CurrentRequest.get()), message);
    if (integrated.stored()) {
      Answer.status(CurrentRequest.get(), CREATED);
    }
    return integrated.integration();
  }

  @Override
  public ListIntegrationsResponse listIntegrations(String repo, Integer pageSize, String pageToken) {
    return read.page(repo, pageSize, pageToken);
  }

  @Override
  public Integration getIntegration(String integrationId) {
    return read.one(integrationId);
  }
}
