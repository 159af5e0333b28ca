package dev.agwp.server;

import dev.agwp.spec.audit.CheckpointKey;
import java.nio.file.Path;

/**
 * What is done with checkpoints of the audit log.
 *
 * @param key signs them; null for none
 * @param folder where they are written now and then; null for nowhere, and only with a key
 */
public record AuditOptions(CheckpointKey key, Path folder) {
  public static final AuditOptions NONE = new AuditOptions(null, null);
}
