package dev.agwp.server.lease;

import dev.agwp.server.storage.Transaction;

/**
 * The row of a repo, locked for the rest of the transaction: whatever changes leases of a repo or integrates into it comes here first, so
 * that of one repo all happens one after the other (ADR-0021).
 *
 * @param nowMs the database's clock once the lock was held
 */
public record LeaseRepo(String repo, long nowMs) {
  static LeaseRepo lock(Transaction tx, String repo) {
    LeaseRepo locked = tx.leases().lock(repo);
    if (locked != null) {
      return locked;
    }
    tx.leases().ensure(repo);
    return tx.leases().lock(repo);
  }
}
