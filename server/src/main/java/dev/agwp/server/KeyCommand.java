package dev.agwp.server;

import dev.agwp.attestation.VerificationKey;
import dev.agwp.server.attestation.KeyRow;
import dev.agwp.server.attestation.RegisteredKeys;
import dev.agwp.server.storage.CannotOpenDatabase;
import dev.agwp.server.storage.Database;
import java.nio.file.Path;
import java.time.Instant;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code agwp-server key}: whose signatures of attestations count (ADR-0019). */
@Command(
    name = "key",
    mixinStandardHelpOptions = true,
    description = "Keys that sign attestations, each bound to a principal.",
    footer = {"", "Exit status: 0 done, 1 not done, 2 wrong usage."})
final class KeyCommand implements Runnable {
  private static final int DONE = 0;
  private static final int NOT_DONE = 1;

  @Spec
  private CommandSpec command;

  @Override
  public void run() {
    throw new ParameterException(command.commandLine(), "Say what to do: agwp-server key add, key list, key show or key revoke");
  }

  @Command(name = "add", mixinStandardHelpOptions = true, sortOptions = false,
      description = "Binds a public key to a principal and prints its id. Its signatures count a second later, on every server.",
      footer = {"", "A key pair is made by: openssl genpkey -algorithm ed25519 -out key.pem && openssl pkey -in key.pem -pubout -out key.pub"})
  int add(
      @Mixin DatabaseOption db,
      @Option(names = "--principal", required = true, paramLabel = "NAME",
          description = "Whose key it is: the principal of the worker's credential, local where the server asks for none.") String principal,
      @Option(names = "--public-key", required = true, paramLabel = "FILE",
          description = "A PEM file, BEGIN PUBLIC KEY, with an Ed25519 or an ECDSA P-256 key.") Path file) {
    VerificationKey key = TextFile.read(command, "--public-key", file, VerificationKey::ofPem);
    return on(db, keys -> {
      keys.add(principal, key);
      say(key.id());
    });
  }

  @Command(name = "list", mixinStandardHelpOptions = true, sortOptions = false,
      description = "Prints a line for each key: its id, its kind, its principal, since when it counts and when it was revoked.")
  int list(@Mixin DatabaseOption db) {
    return on(db, keys -> {
      for (KeyRow key : keys.list()) {
        say(key.keyId() + "  " + VerificationKey.ofDer(key.publicKey()).kind() + "  " + key.principal()
            + "  since " + Instant.ofEpochMilli(key.createdAt())
            + (key.revokedAt() == null ? "" : "  revoked " + Instant.ofEpochMilli(key.revokedAt())));
      }
    });
  }

  @Command(name = "show", mixinStandardHelpOptions = true, sortOptions = false,
      description = "Prints a key as PEM, revoked or not, for agwp-server attestation verify --key and other tools. Trust it as far as you trust "
          + "the database it comes from.")
  int show(@Mixin DatabaseOption db, @Parameters(paramLabel = "ID", description = "As key add and key list print it.") String id) {
    return on(db, keys -> command.commandLine().getOut().print(keys.get(id).pem()));
  }

  @Command(name = "revoke", mixinStandardHelpOptions = true, sortOptions = false,
      description = "Ends a key at once, on every server and for ever. What was completed before stays as it was attested.")
  int revoke(@Mixin DatabaseOption db, @Parameters(paramLabel = "ID", description = "As key add and key list print it.") String id) {
    return on(db, keys -> {
      keys.revoke(id);
      say("The key " + id + " is revoked: it signs nothing more.");
    });
  }

  private int on(DatabaseOption db, Consumer<RegisteredKeys> work) {
    try (Database database = db.open()) {
      work.accept(new RegisteredKeys(database));
      return DONE;
    } catch (CannotOpenDatabase | IllegalArgumentException refused) {
      command.commandLine().getErr().println("not done: " + refused.getMessage());
      return NOT_DONE;
    }
  }

  private void say(String line) {
    command.commandLine().getOut().println(line);
  }
}
