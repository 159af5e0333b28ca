package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.Page;
import dev.agwp.server.http.PageToken;
import dev.agwp.server.http.Reason;
import dev.agwp.server.message.Integration;
import dev.agwp.server.message.ListIntegrationsResponse;
import dev.agwp.server.storage.Database;

/** getIntegration and listIntegrations. */
final class ReadIntegrations {
  private static final int PAGE_SIZE_DEFAULT = 100;
  private static final String LIST = "integrations:";

  private final Database database;

  ReadIntegrations(Database database) {
    this.database = database;
  }

  Integration one(String integrationId) {
    IntegrationRow integration = database.read(tx -> tx.integrations().find(integrationId));
    if (integration == null) {
      throw new ApiException(NOT_FOUND, "no integration has the id " + integrationId).because(Reason.UNKNOWN_INTEGRATION);
    }
    return integration.toMessage();
  }

  ListIntegrationsResponse page(String repo, Integer pageSize, String pageToken) {
    int integrationsMax = pageSize == null ? PAGE_SIZE_DEFAULT : pageSize;
    long beforeSequence = pageToken == null ? Long.MAX_VALUE : PageToken.readNumber(pageToken, LIST);
    return database.read(tx -> {
      Page page = Page.of(LIST, tx.integrations().sizes(repo, beforeSequence, integrationsMax + 1), integrationsMax);
      return new ListIntegrationsResponse()
          .integrations(tx.integrations().list(repo, page.newest(), page.oldest()).stream().map(IntegrationRow::toMessage).toList())
          .nextPageToken(page.nextToken());
    });
  }
}
