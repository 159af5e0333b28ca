package dev.agwp.sdk.worker;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.attestation.DsseEnvelope;
import dev.agwp.attestation.Sha256;
import dev.agwp.attestation.SigningKey;
import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.model.AttestationPolicy;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.model.UpdateQueueRequest;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** ag-worker on a queue that requires signed attestations, with the keys as an operator handles them. */
@Execution(ExecutionMode.CONCURRENT)
final class SigningWorkerTest {
  private static final String HEX = "ab".repeat(32);

  @TempDir
  private Path folder;
  private ServerProcess server;
  private AgwpClient client;

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    client = AgwpClient.builder(server.uri()).build();
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  private record Finished(int status, String output) {}

  @ParameterizedTest
  @ValueSource(strings = {"Ed25519", "EC"})
  void a_worker_with_a_key_completes_a_job_whose_queue_requires_a_signature(String algorithm) throws IOException {
    aKeyPair(algorithm);
    SigningKey key = SigningKey.ofPem(Files.readString(folder.resolve("key.pem")));
    assertThat(addKey().output().strip()).isEqualTo(key.id());
    String jobId = aJobThatRequires(AttestationPolicy.SIGNED);
    Instant before = Instant.now();

    Finished worker = once("--label", "w1", "--key", file("key.pem"), "--", "sh", "-c", "exit 1");

    assertThat(worker.status()).as(worker.output()).isEqualTo(1);
    Job job = client.getJob(jobId);
    assertThat(job.getOutcome()).isEqualTo("failed");
    assertThat(job.getAttestationKeyId()).isEqualTo(key.id());
    byte[] envelope = client.getAttestation(jobId);
    assertThat(Sha256.of(envelope)).isEqualTo(job.getAttestationDigest());
    JsonNode predicate = new ObjectMapper().readTree(DsseEnvelope.parse(envelope).payload()).get("predicate");
    assertThat(predicate.get("job_id").asText()).isEqualTo(jobId);
    assertThat(predicate.get("fencing_token").asLong()).isEqualTo(1);
    assertThat(predicate.get("queue").asText() + " " + predicate.get("principal").asText() + " " + predicate.get("worker").asText())
        .isEqualTo("q local w1");
    assertThat(predicate.get("result").asText() + " " + predicate.get("exit_code").asInt()).isEqualTo("FAILED 1");
    // printf '%s\0' sh -c 'exit 1' | sha256sum
    assertThat(predicate.at("/command_digest/sha256").asText())
        .isEqualTo(Sha256.of("sh\0-c\0exit 1\0".getBytes(StandardCharsets.UTF_8)).substring("sha256:".length()));
    assertThat(Instant.parse(predicate.get("started_at").asText())).isBetween(before, Instant.parse(predicate.get("finished_at").asText()));
  }

  @Test
  void what_it_signed_verifies_offline_and_says_who_attested_what() throws IOException {
    aKeyPair("Ed25519");
    addKey();
    String jobId = aJobThatRequires(AttestationPolicy.SIGNED);
    once("--key", file("key.pem"), "--", "true");
    Files.write(folder.resolve("envelope.json"), client.getAttestation(jobId));

    ServerProcess.Finished verified = ServerProcess.command("attestation", "verify", file("envelope.json"), "--key", file("key.pub"),
        "--subject", "sha256:" + HEX, "--job", jobId);

    assertThat(verified.status()).as(verified.output()).isZero();
    assertThat(verified.output()).contains("verified", "subject    sha256:" + HEX, "job        " + jobId, "attempt    1", "principal  local");
  }

  @Test
  void a_verdict_that_is_refused_for_its_attestation_is_given_up_with_the_reason_and_not_taken_for_a_lost_claim() {
    String jobId = aJobThatRequires(AttestationPolicy.SIGNED);

    Finished worker = once("--", "true");

    assertThat(worker.status()).isEqualTo(3);
    assertThat(worker.output()).doesNotContain("lost");
    Job job = client.getJob(jobId);
    assertThat(job.getLastError().getReason()).isEqualTo("outcome_refused");
    assertThat(job.getLastError().getMessage()).contains("the queue q requires a signed attestation");
    assertThat(job.getAttestationDigest()).isNull();
  }

  @Test
  void a_worker_without_a_key_is_enough_where_a_statement_is_required() {
    String jobId = aJobThatRequires(AttestationPolicy.REQUIRED);

    assertThat(once("--", "true").status()).isZero();

    assertThat(client.getJob(jobId).getOutcome()).isEqualTo("passed");
  }

  @Test
  void a_file_that_is_no_private_key_is_wrong_usage() throws IOException {
    aKeyPair("Ed25519");

    Finished publicHalf = once("--key", file("key.pub"), "--", "true");
    assertThat(publicHalf.status()).isEqualTo(2);
    assertThat(publicHalf.output()).contains("--key", "not a PEM file with a block BEGIN PRIVATE KEY");
    Finished none = once("--key", file("none"), "--", "true");
    assertThat(none.status()).isEqualTo(2);
    assertThat(none.output()).contains("cannot be read");
  }

  private String aJobThatRequires(AttestationPolicy policy) {
    String jobId = client.enqueueJob(new EnqueueJobRequest().queue("q").subjectDigest("sha256:" + HEX)).getJobId();
    assertThat(client.updateQueue("q", new UpdateQueueRequest().attestation(policy)).getAttestation()).isEqualTo(policy.getValue());
    return jobId;
  }

  private ServerProcess.Finished addKey() {
    ServerProcess.Finished added = ServerProcess.command("key", "add", "--db", "jdbc:sqlite:" + file("agwp.db"), "--principal", "local",
        "--public-key", file("key.pub"));
    assertThat(added.status()).as(added.output()).isZero();
    return added;
  }

  private void aKeyPair(String algorithm) throws IOException {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
      if (algorithm.equals("EC")) {
        generator.initialize(new ECGenParameterSpec("secp256r1"));
      }
      KeyPair pair = generator.generateKeyPair();
      Files.writeString(folder.resolve("key.pem"), pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
      Files.writeString(folder.resolve("key.pub"), pem("PUBLIC KEY", pair.getPublic().getEncoded()));
    } catch (GeneralSecurityException everyJdkHasIt) {
      throw new IllegalStateException(everyJdkHasIt);
    }
  }

  private static String pem(String block, byte[] der) {
    return "-----BEGIN " + block + "-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + block + "-----\n";
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private Finished once(String... args) {
    List<String> command = new ArrayList<>(List.of(ProcessHandle.current().info().command().orElseThrow(), "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), "dev.agwp.sdk.worker.AgWorker",
        "--server", server.uri().toString(), "--queue", "q", "--once"));
    command.addAll(List.of(args));
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return new Finished(process.waitFor(), output);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }
}
