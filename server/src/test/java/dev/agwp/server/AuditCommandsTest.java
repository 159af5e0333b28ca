package dev.agwp.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.AuditRows;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.audit.Checkpoint;
import dev.agwp.spec.audit.CheckpointKey;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** agwp-server audit, as an operator runs it. */
final class AuditCommandsTest {
  @TempDir
  private Path folder;
  private Path privateKey;
  private Path publicKey;

  @BeforeEach
  void makeKeys() throws IOException, NoSuchAlgorithmException {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    privateKey = pem("PRIVATE", pair.getPrivate().getEncoded());
    publicKey = pem("PUBLIC", pair.getPublic().getEncoded());
  }

  @EveryDatabase
  void verify_tells_by_its_exit_status_whether_the_log_is_intact(TestDatabase database) throws IOException {
    Api api = database.serve();
    api.aClaimedJob("w1");
    AuditRows.awaitSealed(database);
    Path kept = save("kept", ran("audit", "checkpoint", "--db", database.url(), "--audit-key", privateKey.toString()).output());

    Finished intact = ran("audit", "verify", "--db", database.url());
    Finished against = ran("audit", "verify", "--db", database.url(), "--since", kept.toString(), "--key", publicKey.toString());
    AuditRows.unlock(database);
    database.change("delete from audit_event where seq = 1");
    Finished tampered = ran("audit", "verify", "--db", database.url());

    assertThat(intact).isEqualTo(new Finished(0, "intact: 2 events, against its head alone\n", ""));
    assertThat(against).isEqualTo(new Finished(0, "intact: 2 events, against 1 checkpoint\n", ""));
    assertThat(tampered).isEqualTo(new Finished(1, "deletion: event 1 is missing: event 2 is the next there is\n", ""));
  }

  @EveryDatabase
  void a_checkpoint_is_checked_with_the_key_that_is_named(TestDatabase database) throws IOException {
    database.serve();
    Finished signed = ran("audit", "checkpoint", "--db", database.url(), "--audit-key", privateKey.toString());
    Finished unsigned = ran("audit", "checkpoint", "--db", database.url());

    assertThat(signed.output()).startsWith(unsigned.output());
    assertThat(Checkpoint.parse(unsigned.output()).size()).isZero();
    Path trusted = save("unsigned", unsigned.output());
    assertThat(ran("audit", "verify", "--db", database.url(), "--since", trusted.toString()).status()).isZero();
    Finished refused = ran("audit", "verify", "--db", database.url(), "--since", trusted.toString(), "--key", publicKey.toString());
    assertThat(refused.status()).isEqualTo(2);
    assertThat(refused.errors()).contains("is not signed with the key of --key");
  }

  @Test
  void a_database_that_is_not_there_is_not_made() {
    Finished missing = ran("audit", "verify", "--db", "jdbc:sqlite:" + folder.resolve("typo.db"));

    assertThat(missing.status()).isEqualTo(2);
    assertThat(missing.errors()).startsWith("Could not read the audit log: ");
    assertThat(folder.resolve("typo.db")).doesNotExist();
  }

  @EveryDatabase
  void a_database_without_a_log_is_told_from_an_intact_one(TestDatabase database) {
    database.change("create table something (other integer)");

    Finished unreadable = ran("audit", "verify", "--db", database.url());

    assertThat(unreadable.status()).isEqualTo(2);
    assertThat(unreadable.errors()).contains("audit_head").doesNotContain("\tat ");
    assertThat(ran("audit", "checkpoint", "--db", database.url()).status()).isEqualTo(1);
  }

  @Test
  void wrong_usage_says_what_to_give() throws IOException {
    Path text = save("text", "hello\n");

    assertThat(ran("audit").errors()).contains("agwp-server audit verify");
    assertThat(ran("audit", "verify", "--key", publicKey.toString()).errors()).contains("give one with --since");
    assertThat(ran("audit", "verify", "--since", folder.resolve("none").toString()).errors()).contains("cannot be read");
    assertThat(ran("audit", "verify", "--since", text.toString()).errors()).contains("a checkpoint is agwp.dev/audit/<log>");
    assertThat(ran("audit", "checkpoint", "--audit-key", publicKey.toString()).errors()).contains("PRIVATE KEY");
    assertThat(ran("serve", "--audit-checkpoints", folder.toString()).errors()).contains("needs --audit-key");
    assertThat(ran("audit", "verify", "--wrong").status()).isEqualTo(2);
    assertThat(ran("audit", "verify", "--help").output()).contains("--since", "--key", "--db", "Exit status");
  }

  @EveryDatabase
  void a_server_with_a_key_signs_its_head_and_writes_checkpoints(TestDatabase database) throws IOException {
    CheckpointKey key = CheckpointKey.ofPrivate(Files.readString(privateKey));
    Path checkpoints = folder.resolve("checkpoints");
    Api api = database.serve(new AuditOptions(key, checkpoints));
    api.aClaimedJob("w1");
    AuditRows.awaitSealed(database);

    String head = api.get("/v1/audit/head").ok().get("checkpoint").asText();
    await().until(() -> !files(checkpoints).isEmpty());
    api.aQueuedJob();
    api.server().close();

    assertThat(key.hasSigned(head)).isTrue();
    assertThat(Checkpoint.parse(head).size()).isEqualTo(2);
    Path last = files(checkpoints).get(files(checkpoints).size() - 1);
    assertThat(Checkpoint.parse(Files.readString(last)).size()).as("the last events of a server have one too").isEqualTo(3);
    assertThat(ran("audit", "verify", "--db", database.url(), "--since", last.toString(), "--key", publicKey.toString()).status()).isZero();
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".checkpoint")).sorted().toList();
    }
  }

  private record Finished(int status, String output, String errors) {}

  private static Finished ran(String... args) {
    StringWriter output = new StringWriter();
    StringWriter errors = new StringWriter();
    CommandLine command = Main.commandLine().setOut(new PrintWriter(output)).setErr(new PrintWriter(errors));
    int status = command.execute(args);
    command.getOut().flush();
    command.getErr().flush();
    return new Finished(status, output.toString(), errors.toString());
  }

  private Path save(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private Path pem(String half, byte[] der) throws IOException {
    return save(half + ".pem", "-----BEGIN " + half + " KEY-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + half
        + " KEY-----\n");
  }
}
