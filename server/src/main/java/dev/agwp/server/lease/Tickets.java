package dev.agwp.server.lease;

import dev.agwp.server.storage.Transaction;
import java.util.Collection;
import java.util.List;

/**
 * The places of waiting acquires in the order of arrival. A ticket whose server died, or lost the database, is passed over soon; while its
 * acquire waits it is kept in its place, so that it counts again once its server is back.
 */
final class Tickets {
  /** Several looks of the server that waits. */
  private static final long ALIVE_MS = 10_000;
  /** Longer than any acquire waits. */
  private static final long STALE_MS = 120_000;

  private Tickets() {}

  static long take(Transaction tx, Acquiring asked) {
    LeaseRepo repo = LeaseRepo.lock(tx, asked.repo());
    drop(tx, tx.leases().staleTickets(asked.repo(), repo.nowMs() - STALE_MS));
    long ticket = tx.leases().storeTicket(asked.repo(), asked.holder(), repo.nowMs() + ALIVE_MS);
    tx.leases().storeTicketPaths(asked.repo(), ticket, PathRow.of(asked.paths()));
    return ticket;
  }

  static int keep(Transaction tx, Collection<Long> tickets) {
    return tx.leases().keepTickets(tickets, ALIVE_MS);
  }

  static int drop(Transaction tx, List<Long> tickets) {
    if (tickets.isEmpty()) {
      return 0;
    }
    tx.leases().dropTicketPaths(tickets);
    return tx.leases().dropTickets(tickets);
  }
}
