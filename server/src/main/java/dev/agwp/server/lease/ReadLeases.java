package dev.agwp.server.lease;

import dev.agwp.server.http.Page;
import dev.agwp.server.http.PageToken;
import dev.agwp.server.message.ListLeasesResponse;
import dev.agwp.server.storage.Database;

/** listLeases. */
final class ReadLeases {
  private static final int PAGE_SIZE_DEFAULT = 100;
  private static final String LIST = "leases:";

  private final Database database;

  ReadLeases(Database database) {
    this.database = database;
  }

  ListLeasesResponse page(String repo, Integer pageSize, String pageToken) {
    int leasesMax = pageSize == null ? PAGE_SIZE_DEFAULT : pageSize;
    long beforeToken = pageToken == null ? Long.MAX_VALUE : PageToken.readNumber(pageToken, LIST);
    return database.read(tx -> {
      Page page = Page.of(LIST, tx.leases().sizes(repo, beforeToken, leasesMax + 1), leasesMax);
      return new ListLeasesResponse()
          .leases(tx.leases().list(repo, page.newest(), page.oldest()).stream().map(LeaseRow::toMessage).toList())
          .nextPageToken(page.nextToken());
    });
  }
}
