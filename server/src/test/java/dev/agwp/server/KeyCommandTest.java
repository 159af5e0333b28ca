package dev.agwp.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.Signer;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import picocli.CommandLine;

/** {@code agwp-server key} as an operator calls it. */
@Execution(ExecutionMode.CONCURRENT)
final class KeyCommandTest {
  @TempDir
  private Path folder;

  private record Finished(int status, String out, String err) {}

  @EveryDatabase
  void a_key_is_added_listed_and_revoked_under_its_id(TestDatabase database) throws IOException {
    Signer ed25519 = Signer.ed25519();
    Signer p256 = Signer.p256();

    Finished added = run(database, "key", "add", "--principal", "ci", "--public-key", file(ed25519));
    assertThat(added.status()).as(added.err()).isZero();
    assertThat(added.out().strip()).isEqualTo(ed25519.key().id());
    assertThat(run(database, "key", "add", "--principal", "alice", "--public-key", file(p256)).status()).isZero();
    assertThat(run(database, "key", "revoke", ed25519.key().id()).out()).startsWith("The key " + ed25519.key().id() + " is revoked");

    List<String> lines = run(database, "key", "list").out().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.get(0)).startsWith(p256.key().id() + "  ECDSA P-256  alice  since 20").doesNotContain("revoked");
    assertThat(lines.get(1)).startsWith(ed25519.key().id() + "  Ed25519  ci  since 20").contains("  revoked 20");
  }

  @EveryDatabase
  void a_key_is_shown_as_the_file_it_was_added_from_and_verifies_what_it_signed(TestDatabase database) throws IOException {
    for (Signer signer : List.of(Signer.ed25519(), Signer.p256())) {
      run(database, "key", "add", "--principal", "ci", "--public-key", file(signer));
      run(database, "key", "revoke", signer.key().id());

      Finished shown = run(database, "key", "show", signer.key().id());

      assertThat(shown.out()).isEqualTo(Files.readString(Path.of(file(signer))));
      String envelope = Files.writeString(folder.resolve("envelope"), signer.signed(Signer.statement("ab".repeat(32), "j1", 1))).toString();
      String key = Files.writeString(folder.resolve("shown.pem"), shown.out()).toString();
      assertThat(run("attestation", "verify", envelope, "--key", key).out()).startsWith("verified").contains(signer.key().id());
    }
  }

  @EveryDatabase
  void what_cannot_be_done_says_why_and_changes_nothing(TestDatabase database) throws IOException {
    Signer signer = Signer.ed25519().addedFor("ci", database);
    List<String> before = keys(database);

    refused(run(database, "key", "add", "--principal", "alice", "--public-key", file(signer)), "is of the principal ci; a key is of one alone");
    refused(run(database, "key", "add", "--principal", "a b", "--public-key", file(Signer.p256())), "printable ASCII characters without spaces");
    refused(run(database, "key", "revoke", "sha256:00"), "no key has the id sha256:00");
    refused(run(database, "key", "show", "sha256:00"), "no key has the id sha256:00");
    assertThat(run(database, "key", "add", "--principal", "ci", "--public-key", file(signer)).status()).as("again").isZero();
    assertThat(keys(database)).isEqualTo(before);

    signer.revoke(database);
    refused(run(database, "key", "add", "--principal", "ci", "--public-key", file(signer)), "was revoked, which is for ever");
    assertThat(run(database, "key", "revoke", signer.key().id()).status()).as("again").isZero();
  }

  @EveryDatabase
  void a_principal_has_at_most_8_keys_that_count(TestDatabase database) throws IOException {
    Signer first = Signer.ed25519().addedFor("ci", database);
    for (int i = 0; i < 7; i++) {
      Signer.ed25519().addedFor("ci", database);
    }
    String ninth = file(Signer.ed25519());

    refused(run(database, "key", "add", "--principal", "ci", "--public-key", ninth), "ci has 8 keys that are not revoked; revoke one first");
    assertThat(keys(database)).hasSize(8);

    first.revoke(database);
    assertThat(run(database, "key", "add", "--principal", "ci", "--public-key", ninth).status()).isZero();
  }

  @EveryDatabase
  void wrong_usage_ends_with_2(TestDatabase database) throws IOException {
    String text = Files.writeString(folder.resolve("text"), "nonsense").toString();
    String missing = folder.resolve("none").toString();
    assertThat(run(database, "key", "add", "--principal", "ci", "--public-key", text).err())
        .contains("not a PEM file with a block BEGIN PUBLIC KEY");
    assertThat(run(database, "key", "add", "--principal", "ci", "--public-key", missing).err())
        .contains(missing + " cannot be read").doesNotContain("Exception");
    assertThat(run(database, "key", "add", "--principal", "ci", "--public-key", missing).status()).isEqualTo(2);
    assertThat(run("key").status()).isEqualTo(2);
    assertThat(run(database, "key", "add", "--principal", "ci").err()).contains("--public-key");
    assertThat(run(database, "key", "revoke").status()).isEqualTo(2);
    assertThat(run(database, "key", "show").status()).isEqualTo(2);
    Finished noDatabase = run("key", "list", "--db", "jdbc:oracle:thin:secret");
    assertThat(noDatabase.status()).isEqualTo(1);
    assertThat(noDatabase.err()).contains("jdbc:sqlite:FILE").doesNotContain("secret");
  }

  private static void refused(Finished finished, String why) {
    assertThat(finished.status()).isEqualTo(1);
    assertThat(finished.err()).contains(why).doesNotContain("\tat ");
    assertThat(finished.out()).isEmpty();
  }

  private static List<String> keys(TestDatabase database) {
    return database.rows("select key_id, principal, revoked_at from attestation_key order by key_id");
  }

  private String file(Signer signer) throws IOException {
    Path file = folder.resolve(signer.key().id().substring("sha256:".length()));
    return Files.writeString(file, Signer.pem("PUBLIC KEY", signer.key().publicHalf().der())).toString();
  }

  private static Finished run(TestDatabase database, String... args) {
    return run(Stream.concat(Arrays.stream(args), Stream.of("--db", database.url())).toArray(String[]::new));
  }

  private static Finished run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = new CommandLine(new Main()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(args);
    return new Finished(status, out.toString(), err.toString());
  }
}
