package dev.agwp.server;

import dev.agwp.server.audit.VerifyLog;
import dev.agwp.server.audit.VerifyLog.Verdict;
import dev.agwp.server.http.ApiException;
import dev.agwp.server.storage.CannotOpenDatabase;
import dev.agwp.server.storage.Database;
import dev.agwp.spec.audit.Checkpoint;
import dev.agwp.spec.audit.CheckpointKey;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.ibatis.exceptions.PersistenceException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code agwp-server audit verify}. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Reads the whole audit log and tells whether it is as it was sealed; servers may write meanwhile.",
    footer = {
      "",
      "Tells apart: edit, an event does not give its hash; deletion, one is missing; fork, the chain is whole but not that of the "
          + "checkpoint; truncation, the log ends too early.",
      "Exit status: 0 intact, 1 tampered, 2 wrong usage, or something cannot be read."})
final class AuditVerify implements Callable<Integer> {
  private static final int INTACT = 0;
  private static final int TAMPERED = 1;
  private static final int UNREADABLE = 2;

  @Mixin
  private DatabaseOption db;

  @Option(names = "--since", paramLabel = "CHECKPOINT-FILE", arity = "1..*",
      description = "A checkpoint that was kept elsewhere; more can be given. The log must still hold all that it covers. Without one, "
          + "a log that was cut or written anew together with its head passes.")
  private List<Path> since = List.of();

  @Option(names = "--key", paramLabel = "PUBLIC.pem",
      description = "Every checkpoint must be signed with this Ed25519 key. Without it, signatures are not looked at: then the checkpoint "
          + "is trusted because of where it was kept.")
  private Path key;

  @Spec
  private CommandSpec command;

  @Override
  public Integer call() {
    if (key != null && since.isEmpty()) {
      throw new ParameterException(command.commandLine(), "--key says who signed a checkpoint: give one with --since");
    }
    List<Checkpoint> checkpoints = checkpoints();
    try (Database database = Database.openToRead(db.url()); ProgressLine progress = ProgressLine.on(command.commandLine().getErr())) {
      Verdict verdict = new VerifyLog(database, checkpoints, progress::at).run();
      progress.close();
      return tell(verdict);
    } catch (CannotOpenDatabase | ApiException | PersistenceException unreadable) {
      command.commandLine().getErr().println("Could not read the audit log: " + DatabaseOption.why(unreadable));
      return UNREADABLE;
    }
  }

  private List<Checkpoint> checkpoints() {
    CheckpointKey signer = key == null ? null : TextFile.read(command, "--key", key, CheckpointKey::ofPublic);
    List<Checkpoint> checkpoints = new ArrayList<>();
    for (Path file : since) {
      checkpoints.add(TextFile.read(command, "--since", file, note -> {
        if (signer != null && !signer.hasSigned(note)) {
          throw new IllegalArgumentException("it is not signed with the key of --key");
        }
        return Checkpoint.parse(note);
      }));
    }
    return checkpoints;
  }

  private int tell(Verdict verdict) {
    if (verdict.tampering() == null) {
      String against = since.isEmpty() ? "against its head alone" : "against " + since.size() + (since.size() == 1 ? " checkpoint" : " checkpoints");
      command.commandLine().getOut().println("intact: " + verdict.events() + " events, " + against);
      return INTACT;
    }
    command.commandLine().getOut().println(verdict.tampering().word() + ": " + verdict.message());
    return TAMPERED;
  }
}
