package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class CompletionTest {

  @EveryDatabase
  void a_completion_ends_the_job_with_its_outcome_whatever_that_is(TestDatabase database) {
    Api api = database.serve();
    for (String outcome : List.of("passed", "failed")) {
      String jobId = api.aClaimedJob("w1");

      JsonNode job = api.post("/v1/jobs/" + jobId + "/complete", "{\"worker\": \"w1\", \"outcome\": \"" + outcome
          + "\", \"summary\": \"30 checks\", \"result\": {\"checks\": 30, \"deep\": {\"b\": [1.5, null]}}, "
          + "\"log_url\": \"https://ci.example/1\"}").ok();

      assertThat(job.get("state").asText()).isEqualTo("succeeded");
      assertThat(job.get("outcome").asText()).isEqualTo(outcome);
      assertThat(job.get("summary").asText()).isEqualTo("30 checks");
      assertThat(job.get("result").toString()).isEqualTo("{\"checks\":30,\"deep\":{\"b\":[1.5,null]}}");
      assertThat(job.get("log_url").asText()).isEqualTo("https://ci.example/1");
      assertThat(job.has("lease_expires_at")).isFalse();
      assertThat(job.get("finished_at")).isEqualTo(job.get("updated_at"));
      assertThat(api.job(jobId)).isEqualTo(job);
    }
  }

  @EveryDatabase
  void an_attestation_is_given_back_byte_for_byte(TestDatabase database) throws NoSuchAlgorithmException {
    Api api = database.serve();
    byte[] body = new byte[1024 * 1024];
    new Random(1).nextBytes(body);
    String jobId = api.aClaimedJob("w1");

    JsonNode job = api.call("complete", jobId, "w1", "\"attestation\": {\"media_type\": \"application/octet-stream\", "
        + "\"body\": \"" + Base64.getEncoder().encodeToString(body) + "\"}").ok();

    Api.Answer stored = api.get("/v1/jobs/" + jobId + "/attestation");
    assertThat(stored.status()).isEqualTo(200);
    assertThat(stored.header("Content-Type")).isEqualTo("application/octet-stream");
    assertThat(stored.http().body()).isEqualTo(body);
    String digest = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    assertThat(job.get("attestation_digest").asText()).isEqualTo("sha256:" + digest);
  }

  @EveryDatabase
  void an_attestation_over_the_limit_is_refused_and_the_claim_is_kept(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    String body = Base64.getEncoder().encodeToString(new byte[1024 * 1024 + 1]);
    List<String> before = database.everything();

    Api.Answer answer = api.call("complete", jobId, "w1",
        "\"attestation\": {\"media_type\": \"text/plain\", \"body\": \"" + body + "\"}");

    answer.refused(413, "payload_too_large");
    assertThat(answer.json().get("errors").get(0).get("field").asText()).isEqualTo("attestation.body");
    assertThat(database.everything()).isEqualTo(before);
    api.call("complete", jobId, "w1").ok();
  }

  @EveryDatabase
  void a_job_without_an_attestation_says_so(TestDatabase database) {
    Api api = database.serve();
    String jobId = api.aClaimedJob("w1");
    api.call("complete", jobId, "w1").ok();

    api.get("/v1/jobs/" + jobId + "/attestation").refused(404, "not_found");
  }

  @EveryDatabase
  void texts_keep_every_character_that_unicode_allows(TestDatabase database) {
    Api api = database.serve();
    String text = "naïve ☃ 👩‍💻 \u202e\t";
    String jobId = api.aClaimedJob("w1", "\"payload\": {\"" + text.strip() + "\": \"" + text.strip() + "\"}");

    JsonNode job = api.call("complete", jobId, "w1", "\"summary\": \"" + text.strip() + "\"").ok();

    assertThat(job.get("summary").asText()).isEqualTo(text.strip());
    assertThat(new String(api.get("/v1/jobs/" + jobId).http().body(), StandardCharsets.UTF_8)).contains("👩‍💻");
    assertThat(job.get("payload").get(text.strip()).asText()).isEqualTo(text.strip());
  }
}
