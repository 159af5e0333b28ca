package dev.agwp.sdk.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.JobState;
import dev.agwp.sdk.Worker;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Integration;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExamplesTest {

  @Test
  void the_examples_of_the_readme_work_together(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("a.txt"), "one\ntwo\n");
    try (ServerProcess server = ServerProcess.start(folder); AgwpClient client = AgwpClient.builder(server.uri()).build()) {
      Job job = ProducerExample.enqueue(server.uri(), file.toString());
      assertThat(ProducerExample.enqueue(server.uri(), file.toString()).getJobId()).isEqualTo(job.getJobId());
      try (Worker worker = WorkerExample.worker(server.uri())) {
        new Thread(worker::run).start();

        Job ended = await().until(() -> client.getJob(job.getJobId()), now -> JobState.SUCCEEDED.equals(now.getState()));

        assertThat(ended.getSummary()).isEqualTo("2 lines");
      }
    }
  }

  @Test
  void the_example_of_a_lease_integrates_a_change_and_gives_the_lease_back(@TempDir Path folder) {
    try (ServerProcess server = ServerProcess.start(folder); AgwpClient client = AgwpClient.builder(server.uri()).build()) {
      Integration integration = LeaseExample.change(server.uri(), "sha256:" + "ab".repeat(32));

      assertThat(client.getJob(integration.getJobId()).getSubjectDigest()).isEqualTo(integration.getChangeDigest());
      assertThat(client.listLeases("acme/site", null, null).getLeases().get(0).getState()).isEqualTo("released");
    }
  }

  @Test
  void the_evidence_of_the_readme_is_signed_and_verified(@TempDir Path folder) throws IOException, GeneralSecurityException {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    Path privateKey = Files.writeString(folder.resolve("key.pem"), pem("PRIVATE KEY", pair.getPrivate()));
    Path publicKey = Files.writeString(folder.resolve("key.pub"), pem("PUBLIC KEY", pair.getPublic()));
    String digest = "sha256:" + "ab".repeat(32);
    byte[] statement = ("{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[{\"digest\":{\"sha256\":\"" + "ab".repeat(32)
        + "\"}}],\"predicateType\":\"https://example.com/checks\"}").getBytes(StandardCharsets.UTF_8);
    try (ServerProcess server = ServerProcess.start(folder); AgwpClient client = AgwpClient.builder(server.uri()).build()) {
      String jobId = client.enqueueJob(new EnqueueJobRequest().queue("validate").subjectDigest(digest)).getJobId();
      try (Worker worker = Worker.builder(client, "w", List.of("validate")).handler(job -> SignedEvidenceExample.passed(statement, privateKey))) {
        worker.runOne();
      }

      assertThat(SignedEvidenceExample.isAttested(client, jobId, digest, publicKey)).isTrue();
      assertThat(SignedEvidenceExample.isAttested(client, jobId, "sha256:" + "cd".repeat(32), publicKey)).isFalse();
    }
  }

  private static String pem(String block, Key key) {
    return "-----BEGIN " + block + "-----\n" + Base64.getMimeEncoder().encodeToString(key.getEncoded()) + "\n-----END " + block + "-----\n";
  }
}
