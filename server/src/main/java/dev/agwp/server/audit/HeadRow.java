package dev.agwp.server.audit;

import dev.agwp.spec.audit.Checkpoint;

/**
 * How far the log is sealed.
 *
 * @param sealedAt null while there is no event
 */
public record HeadRow(String logId, long seq, byte[] chainHash, Long sealedAt) {
  public Checkpoint checkpoint() {
    return Checkpoint.of(logId, seq, chainHash);
  }
}
