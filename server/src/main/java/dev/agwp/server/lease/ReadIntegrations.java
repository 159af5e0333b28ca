package dev.agwp.server.lease;

import static dev.agwp.server.http.ErrorCode.NOT_FOUND;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.http.PageToken;
import dev.agwp.server.http.Reason;
import dev.agwp.server.message.Integration;
import dev.agwp.server.message.ListIntegrationsResponse;
import dev.agwp.server.storage.Database;
import java.util.List;

/** getIntegration and listIntegrations. */
final class ReadIntegrations {
  private static final int PAGE_SIZE_DEFAULT = 100;

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
    long beforeSequence = pageToken == null ? Long.MAX_VALUE : PageToken.readNumber(pageToken);
    // One more than asked for tells whether there is a next page.
    List<IntegrationRow> rows = database.read(tx -> tx.integrations().list(repo, beforeSequence, integrationsMax + 1));
    boolean last = rows.size() <= integrationsMax;
    List<IntegrationRow> page = last ? rows : rows.subList(0, integrationsMax);
    return new ListIntegrationsResponse()
        .integrations(page.stream().map(IntegrationRow::toMessage).toList())
        .nextPageToken(last ? null : PageToken.of(String.valueOf(page.get(integrationsMax - 1).sequence())));
  }
}
