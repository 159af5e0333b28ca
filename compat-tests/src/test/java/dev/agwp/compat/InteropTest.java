package dev.agwp.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.agwp.attestation.DsseEnvelope;
import dev.agwp.attestation.SigningKey;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.model.Attestation;
import dev.agwp.sdk.model.AttestationPolicy;
import dev.agwp.sdk.model.ClaimJobRequest;
import dev.agwp.sdk.model.CompleteJobRequest;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.model.JobOutcome;
import dev.agwp.sdk.model.UpdateQueueRequest;
import dev.agwp.sdk.testing.ServerProcess;
import dev.agwp.sdks.Toolchain;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attestations between this product and an implementation of DSSE by somebody else. */
final class InteropTest {
  private static final String HEX = "ab".repeat(32);

  private final Toolchain python = InteropFolder.python(Path.of("").toAbsolutePath());

  @TempDir
  private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"Ed25519", "EC"})
  void an_envelope_of_securesystemslib_is_taken_here_and_ours_is_verified_there(String algorithm) throws IOException, GeneralSecurityException {
    assumeTrue(python.isInstalled(), "skipped: python3 is not on the PATH");
    aKeyPair(algorithm);
    SigningKey key = SigningKey.ofPem(Files.readString(folder.resolve("key.pem")));
    try (ServerProcess server = ServerProcess.start(folder); AgwpClient client = AgwpClient.builder(server.uri()).build()) {
      addKey();
      String jobId = aClaimedJobThatRequiresASignature(client);
      byte[] statement = statement(jobId).getBytes(StandardCharsets.UTF_8);
      Files.write(folder.resolve("statement.json"), statement);

      Toolchain.Finished theirs = python.run("sign", Map.of("KEY", file("key.pem"), "FILE", file("statement.json")));
      assertThat(theirs.status()).as(theirs.output()).isZero();
      Job job = client.completeJob(jobId, new CompleteJobRequest().worker("w").fencingToken(1L).outcome(JobOutcome.PASSED)
          .attestation(new Attestation().mediaType(DsseEnvelope.MEDIA_TYPE).body(theirs.output().getBytes(StandardCharsets.UTF_8))));
      assertThat(job.getAttestationKeyId()).isEqualTo(key.id());

      Files.write(folder.resolve("ours.json"), DsseEnvelope.sign(statement, key).toJson());
      Toolchain.Finished verified = python.run("verify", Map.of("KEY", file("key.pub"), "KEYID", key.id(), "FILE", file("ours.json")));
      assertThat(verified.output()).isEqualTo(new String(statement, StandardCharsets.UTF_8));
      assertThat(verified.status()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Ed25519", "EC"})
  void securesystemslib_refuses_what_we_would_refuse(String algorithm) throws IOException, GeneralSecurityException {
    assumeTrue(python.isInstalled(), "skipped: python3 is not on the PATH");
    aKeyPair(algorithm);
    SigningKey key = SigningKey.ofPem(Files.readString(folder.resolve("key.pem")));
    String envelope = new String(DsseEnvelope.sign(statement("j1").getBytes(StandardCharsets.UTF_8), key).toJson(), StandardCharsets.UTF_8);
    String other = Base64.getEncoder().encodeToString(statement("j2").getBytes(StandardCharsets.UTF_8));
    Files.writeString(folder.resolve("changed.json"), envelope.replaceAll("\"payload\":\"[^\"]+\"", "\"payload\":\"" + other + "\""));

    Toolchain.Finished refused = python.run("verify", Map.of("KEY", file("key.pub"), "KEYID", key.id(), "FILE", file("changed.json")));

    assertThat(refused.status()).isEqualTo(1);
    assertThat(refused.output()).contains("Accepted signatures do not match threshold");
    assertThat(DsseEnvelope.parse(Files.readAllBytes(folder.resolve("changed.json"))).isSignedBy(key.publicHalf())).isFalse();
  }

  private static String aClaimedJobThatRequiresASignature(AgwpClient client) {
    String jobId = client.enqueueJob(new EnqueueJobRequest().queue("q").subjectDigest("sha256:" + HEX)).getJobId();
    client.updateQueue("q", new UpdateQueueRequest().attestation(AttestationPolicy.SIGNED));
    assertThat(client.claimJob(new ClaimJobRequest().queues(List.of("q")).worker("w"))).hasSize(1);
    return jobId;
  }

  private static String statement(String jobId) {
    return "{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[{\"name\":\"ü ☃\",\"digest\":{\"sha256\":\"" + HEX + "\"}}],"
        + "\"predicateType\":\"https://agwp.dev/attestation/job/v1\",\"predicate\":{\"job_id\":\"" + jobId + "\",\"fencing_token\":1}}";
  }

  private void addKey() {
    ServerProcess.Finished added = ServerProcess.command("key", "add", "--db", "jdbc:sqlite:" + file("agwp.db"), "--principal", "local",
        "--public-key", file("key.pub"));
    assertThat(added.status()).as(added.output()).isZero();
  }

  private void aKeyPair(String algorithm) throws IOException, GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (algorithm.equals("EC")) {
      generator.initialize(new ECGenParameterSpec("secp256r1"));
    }
    KeyPair pair = generator.generateKeyPair();
    Files.writeString(folder.resolve("key.pem"), pem("PRIVATE KEY", pair.getPrivate()));
    Files.writeString(folder.resolve("key.pub"), pem("PUBLIC KEY", pair.getPublic()));
  }

  private static String pem(String block, Key key) {
    return "-----BEGIN " + block + "-----\n" + Base64.getMimeEncoder().encodeToString(key.getEncoded()) + "\n-----END " + block + "-----\n";
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }
}
