package dev.agwp.server.lease;

import dev.agwp.server.http.PageToken;
import dev.agwp.server.message.ListLeasesResponse;
import dev.agwp.server.storage.Database;
import java.util.List;

/** listLeases. */
final class ReadLeases {
  private static final int PAGE_SIZE_DEFAULT = 100;

  private final Database database;

  ReadLeases(Database database) {
    this.database = database;
  }

  ListLeasesResponse page(String repo, Integer pageSize, String pageToken) {
    int leasesMax = pageSize == null ? PAGE_SIZE_DEFAULT : pageSize;
    long beforeToken = pageToken == null ? Long.MAX_VALUE : PageToken.readNumber(pageToken);
    // One more than asked for tells whether there is a next page.
    List<LeaseRow> rows = database.read(tx -> tx.leases().list(repo, beforeToken, leasesMax + 1));
    boolean last = rows.size() <= leasesMax;
    List<LeaseRow> page = last ? rows : rows.subList(0, leasesMax);
    return new ListLeasesResponse()
        .leases(page.stream().map(LeaseRow::toMessage).toList())
        .nextPageToken(last ? null : PageToken.of(String.valueOf(page.get(leasesMax - 1).fencingToken())));
  }
}
