package dev.agwp.server.job;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
final class EnqueueTest {

  @EveryDatabase
  void a_payload_and_a_result_come_back_with_their_nulls(TestDatabase database) {
    Api api = database.serve();
    String object = "{\"a\":null,\"b\":{\"c\":null,\"d\":[null]}}";
    String jobId = api.aClaimedJob("w", "\"payload\": " + object);

    api.call("complete", jobId, "w", "\"result\": " + object).ok();

    assertThat(api.job(jobId).get("payload").toString()).isEqualTo(object);
    assertThat(api.job(jobId).get("result").toString()).isEqualTo(object);
    assertThat(api.job(jobId).has("summary")).as("a field without a value is left out").isFalse();
  }

  @EveryDatabase
  void a_stored_job_is_answered_with_201_and_its_defaults(TestDatabase database) {
    Api api = database.serve();

    Api.Answer answer = api.post("/v1/jobs", "{\"queue\": \"q\"}");

    assertThat(answer.status()).isEqualTo(201);
    JsonNode job = answer.json();
    assertThat(job.get("state").asText()).isEqualTo("queued");
    assertThat(job.get("payload").toString()).isEqualTo("{}");
    assertThat(job.get("priority").asInt()).isZero();
    assertThat(job.get("attempts").asInt()).isZero();
    assertThat(job.get("max_attempts").asInt()).isEqualTo(5);
    assertThat(job.get("run_at")).isEqualTo(job.get("created_at"));
    assertThat(job.has("claimed_by")).as("what has no value is left out").isFalse();
    assertThat(api.job(job.get("job_id").asText())).isEqualTo(job);
  }

  @EveryDatabase
  void a_unique_key_answers_the_live_job_with_200_until_that_has_ended(TestDatabase database) {
    Api api = database.serve();
    String request = "{\"queue\": \"q\", \"unique_key\": \"k\", \"priority\": %d}";
    JsonNode first = api.post("/v1/jobs", request.formatted(1)).ok();

    Api.Answer whileQueued = api.post("/v1/jobs", request.formatted(2));
    assertThat(whileQueued.status()).isEqualTo(200);
    assertThat(whileQueued.json()).isEqualTo(first);
    assertThat(api.claim("w1")).hasSize(1);
    assertThat(api.post("/v1/jobs", request.formatted(2)).ok().get("state").asText()).isEqualTo("claimed");
    assertThat(api.post("/v1/jobs", "{\"queue\": \"other\", \"unique_key\": \"k\"}").status())
        .as("another queue's keys are its own").isEqualTo(201);

    api.call("complete", first.get("job_id").asText(), "w1").ok();
    assertThat(api.post("/v1/jobs", request.formatted(2)).status()).isEqualTo(201);
  }

  @EveryDatabase
  void a_unique_key_sent_many_times_at_once_stores_one_job(TestDatabase database) {
    Api api = database.serve();

    List<CompletableFuture<Api.Answer>> calls = IntStream.range(0, 16)
        .mapToObj(i -> api.postLater("/v1/jobs", "{\"queue\": \"q\", \"unique_key\": \"k\"}"))
        .toList();

    List<Api.Answer> answers = calls.stream().map(CompletableFuture::join).toList();
    assertThat(answers.stream().filter(answer -> answer.status() == 201)).hasSize(1);
    assertThat(answers.stream().map(answer -> answer.ok().get("job_id").asText()).distinct()).hasSize(1);
    assertThat(database.number("select count(*) from job")).isEqualTo(1);
  }

  @EveryDatabase
  void a_batch_is_stored_whole_in_its_order(TestDatabase database) {
    Api api = database.serve();
    String jobs = IntStream.range(0, 1000)
        .mapToObj(i -> "{\"queue\": \"q\", \"payload\": {\"n\": " + i + "}}")
        .collect(Collectors.joining(","));

    Api.Answer answer = api.post("/v1/jobs/batch", "{\"jobs\": [" + jobs + "]}");

    assertThat(answer.status()).isEqualTo(201);
    List<Integer> numbers = new ArrayList<>();
    answer.json().get("jobs").forEach(job -> numbers.add(job.get("payload").get("n").asInt()));
    assertThat(numbers).isEqualTo(IntStream.range(0, 1000).boxed().toList());
    assertThat(database.number("select count(*) from job")).isEqualTo(1000);
  }

  @EveryDatabase
  void a_batch_with_one_bad_job_stores_none(TestDatabase database) {
    Api api = database.serve();

    Api.Answer answer = api.post("/v1/jobs/batch", "{\"jobs\": [{\"queue\": \"q\"}, {\"queue\": \"not a name\"}]}");

    answer.refused(400, "invalid_argument");
    assertThat(answer.json().get("errors").get(0).get("field").asText()).isEqualTo("jobs[1].queue");
    assertThat(database.everything()).isEmpty();
  }

  @EveryDatabase
  void a_unique_key_holds_between_the_jobs_of_one_batch(TestDatabase database) {
    Api api = database.serve();
    String job = "{\"queue\": \"q\", \"unique_key\": \"k\"}";

    JsonNode jobs = api.post("/v1/jobs/batch", "{\"jobs\": [" + job + ", " + job + "]}").ok().get("jobs");

    assertThat(jobs.get(0)).isEqualTo(jobs.get(1));
    assertThat(database.number("select count(*) from job")).isEqualTo(1);
  }

  @EveryDatabase
  void batches_that_share_unique_keys_in_opposite_orders_do_not_fail(TestDatabase database) {
    Api api = database.serve();
    List<String> keys = IntStream.range(0, 200).mapToObj(i -> "{\"queue\": \"q\", \"unique_key\": \"k" + i + "\"}").toList();
    List<String> backwards = new ArrayList<>(keys);
    java.util.Collections.reverse(backwards);

    List<CompletableFuture<Api.Answer>> calls = IntStream.range(0, 6)
        .mapToObj(i -> api.postLater("/v1/jobs/batch", "{\"jobs\": " + (i % 2 == 0 ? keys : backwards) + "}"))
        .toList();

    calls.forEach(call -> call.join().ok());
    assertThat(database.number("select count(*) from job")).isEqualTo(200);
  }
}
