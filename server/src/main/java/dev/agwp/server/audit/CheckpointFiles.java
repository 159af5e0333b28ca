package dev.agwp.server.audit;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.storage.Database;
import dev.agwp.spec.audit.CheckpointKey;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.TimeUnit;
import org.apache.ibatis.exceptions.PersistenceException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes signed checkpoints of the audit log into a folder, for somebody who keeps them where the database's owner cannot change them. */
public final class CheckpointFiles implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CheckpointFiles.class);
  private static final long LOOK_EVERY_MS = 1_000;
  private static final long EVENTS_MAX = 10_000;
  private static final long AGE_MS_MAX = 60_000;

  private final Database database;
  private final CheckpointKey key;
  private final Path folder;
  private final RepeatedWork repeated = new RepeatedWork("agwp-audit-checkpoints", LOOK_EVERY_MS, this::look);
  private long writtenSeq;
  private long writtenNanos = System.nanoTime() - TimeUnit.MILLISECONDS.toNanos(AGE_MS_MAX);

  /** @throws IOException when the folder cannot be made */
  public CheckpointFiles(Database database, CheckpointKey key, Path folder) throws IOException {
    this.database = database;
    this.key = key;
    this.folder = Files.createDirectories(folder);
  }

  public void start() {
    repeated.start();
  }

  private void look(boolean last) {
    try {
      HeadRow head = database.read(tx -> tx.auditLog().head());
      // Once more when it stops: the last events of a server should not go without.
      if (head.seq() > writtenSeq && (last || isDue(head))) {
        write(head);
      }
    } catch (ApiException | PersistenceException | IllegalStateException | IOException failed) {
      LOG.warn("could not write a checkpoint of the audit log, trying again: {}", failed.getMessage());
    }
  }

  private boolean isDue(HeadRow head) {
    return head.seq() - writtenSeq >= EVENTS_MAX
        || System.nanoTime() - writtenNanos >= TimeUnit.MILLISECONDS.toNanos(AGE_MS_MAX);
  }

  /** Whole or not at all: who copies the folder never gets half a note. */
  private void write(HeadRow head) throws IOException {
    Path file = folder.resolve(String.format("%019d.checkpoint", head.seq()));
    Path draft = folder.resolve(file.getFileName() + ".tmp");
    Files.writeString(draft, key.sign(head.checkpoint()));
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    writtenSeq = head.seq();
    writtenNanos = System.nanoTime();
  }

  @Override
  public void close() {
    repeated.close();
  }
}
