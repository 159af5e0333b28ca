package dev.agwp.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.Signer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code agwp-server attestation verify}, which needs neither server nor database. */
final class AttestationCommandTest {
  private static final String HEX = "ab".repeat(32);

  @TempDir
  private Path folder;
  private final Signer signer = Signer.ed25519();
  private final Signer other = Signer.p256();

  private record Finished(int status, String out, String err) {}

  @Test
  void an_envelope_that_a_given_key_signed_is_verified_and_says_what_it_is_about() throws IOException {
    String statement = Signer.statement("[{\"digest\":{\"sha256\":\"" + HEX + "\"}}]",
        "{\"job_id\":\"j1\",\"fencing_token\":2,\"principal\":\"ci\\u001b[2J\"}");
    String envelope = file("envelope.json", signer.signed(statement));

    Finished verified = verify(envelope, "--key", key(other), "--key", key(signer), "--subject", "sha256:" + HEX, "--job", "j1");

    assertThat(verified.status()).as(verified.err()).isZero();
    assertThat(verified.out().lines()).containsExactly(
        "verified",
        "key        " + signer.key().id() + " (Ed25519)",
        "subject    sha256:" + HEX,
        "predicate  https://agwp.dev/attestation/job/v1",
        "job        j1",
        "attempt    2",
        "principal  ci?[2J");
  }

  @Test
  void what_is_not_verified_says_why_and_ends_with_1() throws IOException {
    String statement = Signer.statement(HEX, "j1", 2);
    String envelope = file("envelope.json", signer.signed(statement));

    not(verify(envelope, "--key", key(other)), "no signature is valid by a key that was given");
    not(verify(envelope, "--key", key(signer), "--subject", "sha256:" + "cd".repeat(32)), "it is about [sha256:" + HEX + "], not about sha256:cd");
    not(verify(envelope, "--key", key(signer), "--job", "j2"), "it is about the job j1, not about j2");
    not(verify(file("bare.json", statement), "--key", key(signer)), "the DSSE envelope has no text payloadType");
    not(verify(file("text", "nonsense"), "--key", key(signer)), "not one well-formed JSON object");
    not(verify(file("changed.json", signer.signed(statement).replace("\"payload\":\"ey", "\"payload\":\"IH")), "--key", key(signer)), "");
  }

  @Test
  void wrong_usage_ends_with_2() throws IOException {
    String envelope = file("envelope.json", signer.signed(Signer.statement(HEX, "j1", 2)));

    assertThat(verify(envelope).err()).contains("--key");
    Finished noKey = verify(envelope, "--key", file("text", "nonsense"));
    assertThat(noKey.status()).isEqualTo(2);
    assertThat(noKey.err()).contains("not a PEM file with a block BEGIN PUBLIC KEY");
    String missing = folder.resolve("none").toString();
    for (Finished unreadable : List.of(verify(missing, "--key", key(signer)), verify(envelope, "--key", missing))) {
      assertThat(unreadable.status()).isEqualTo(2);
      assertThat(unreadable.err()).contains(missing + " cannot be read").doesNotContain("Exception");
    }
    assertThat(run("attestation").status()).isEqualTo(2);
    assertThat(run("attestation", "verify", "--help").out()).contains("--subject", "Exit status: 0 verified");
  }

  private static void not(Finished finished, String why) {
    assertThat(finished.status()).isEqualTo(1);
    assertThat(finished.out()).isEmpty();
    assertThat(finished.err()).startsWith("NOT VERIFIED: ").contains(why).doesNotContain("\tat ");
  }

  private String key(Signer of) throws IOException {
    return file(of.key().id().substring("sha256:".length()), Signer.pem("PUBLIC KEY", of.key().publicHalf().der()));
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }

  private static Finished verify(String file, String... options) {
    List<String> args = new ArrayList<>(List.of("attestation", "verify", file));
    args.addAll(List.of(options));
    return run(args.toArray(String[]::new));
  }

  private static Finished run(String... args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int status = new CommandLine(new Main()).setOut(new PrintWriter(out)).setErr(new PrintWriter(err)).execute(args);
    return new Finished(status, out.toString(), err.toString());
  }
}
