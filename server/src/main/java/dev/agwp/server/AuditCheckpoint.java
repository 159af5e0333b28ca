package dev.agwp.server;

import dev.agwp.server.http.ApiException;
import dev.agwp.server.storage.CannotOpenDatabase;
import dev.agwp.server.storage.Database;
import dev.agwp.spec.audit.Checkpoint;
import dev.agwp.spec.audit.CheckpointKey;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.apache.ibatis.exceptions.PersistenceException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code agwp-server audit checkpoint}. */
@Command(
    name = "checkpoint",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Prints a checkpoint of the audit log as it stands, to be kept where the owner of the database cannot change it.",
    footer = {"", "Exit status: 0 printed, 1 the database cannot be read, 2 wrong usage."})
final class AuditCheckpoint implements Callable<Integer> {
  private static final int PRINTED = 0;
  private static final int UNREADABLE = 1;

  @Mixin
  private DatabaseOption db;

  @Option(names = "--audit-key", paramLabel = "PRIVATE.pem",
      description = "Signs it with this Ed25519 key (PKCS#8, as openssl genpkey -algorithm ed25519 writes it). Without it the checkpoint is not "
          + "signed.")
  private Path key;

  @Spec
  private CommandSpec command;

  @Override
  public Integer call() {
    CheckpointKey signer = key == null ? null : TextFile.read(command, "--audit-key", key, CheckpointKey::ofPrivate);
    try (Database database = Database.openToRead(db.url())) {
      Checkpoint checkpoint = database.read(tx -> tx.auditLog().head()).checkpoint();
      command.commandLine().getOut().print(signer == null ? checkpoint.text() : signer.sign(checkpoint));
      return PRINTED;
    } catch (CannotOpenDatabase | ApiException | PersistenceException | IllegalStateException unreadable) {
      command.commandLine().getErr().println("Could not read the audit log: " + DatabaseOption.why(unreadable));
      return UNREADABLE;
    }
  }
}
