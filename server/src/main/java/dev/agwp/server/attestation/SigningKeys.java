package dev.agwp.server.attestation;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;

import dev.agwp.attestation.VerificationKey;
import dev.agwp.server.storage.Database;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The keys that sign for principals, as they were at most a second ago. So a new key counts after a second; a revoked one is refused at
 * once, by the UPDATE that ends the job.
 */
public final class SigningKeys {
  private static final long FRESH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Database database;
  private Map<String, List<VerificationKey>> byPrincipal;
  private long readNanos;

  public SigningKeys(Database database) {
    this.database = database;
  }

  /** Those of one principal that are not revoked. */
  public synchronized List<VerificationKey> of(String principal) {
    long now = System.nanoTime();
    if (byPrincipal == null || now - readNanos > FRESH_NANOS) {
      byPrincipal = database.read(tx -> tx.keys().list()).stream()
          .filter(key -> key.revokedAt() == null)
          .collect(groupingBy(KeyRow::principal, mapping(key -> VerificationKey.ofDer(key.publicKey()), toList())));
      readNanos = now;
    }
    return byPrincipal.getOrDefault(principal, List.of());
  }
}
