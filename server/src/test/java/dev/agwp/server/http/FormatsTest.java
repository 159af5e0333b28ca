package dev.agwp.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.RawHttp;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.Contract;
import dev.agwp.spec.MalformedMessage;
import dev.agwp.spec.Transcoder;
import dev.agwp.spec.WireSchema;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** JSON and Protobuf on every operation: the same messages, the same rules, chosen by the headers. */
final class FormatsTest {
  private static final String PROTOBUF = "application/x-protobuf";
  private static final ObjectMapper JSON = Json.MAPPER;
  private static final Transcoder TRANSCODER = new Transcoder(WireSchema.of(Contract.load()));
  private static final TestDatabase DATABASE = TestDatabase.sqlite();
  private static Api api;

  @BeforeAll
  static void serve() {
    api = DATABASE.serve();
  }

  @AfterAll
  static void stop() {
    DATABASE.close();
  }

  @EveryDatabase
  void a_job_goes_its_whole_way_in_protobuf(TestDatabase database) throws IOException, MalformedMessage {
    Api served = database.serve();
    ObjectNode job = call(served, "/v1/jobs", "EnqueueJobRequest", "{\"queue\": \"q\", \"payload\": {\"n\": 1.50}, \"priority\": -3, "
        + "\"run_at\": \"2026-01-01T00:00:00.000Z\", \"max_attempts\": 7}", "Job");
    assertThat(job.get("priority").asInt()).isEqualTo(-3);
    assertThat(job.get("payload").toString()).isEqualTo("{\"n\":1.50}");
    String jobs = "/v1/jobs/" + job.get("job_id").asText();

    JsonNode claimed = call(served, "/v1/jobs/claim", "ClaimJobRequest",
        "{\"queues\": [\"q\"], \"worker\": \"w\", \"lease_seconds\": 9}", "ClaimJobResponse").get("jobs").get(0);
    assertThat(claimed.get("attempts").asInt()).isEqualTo(1);
    assertThat(claimed.get("state").asText()).isEqualTo("claimed");
    assertThat(call(served, jobs + "/heartbeat", "HeartbeatJobRequest", "{\"worker\": \"w\", \"progress\": 0}", "Job")
        .get("progress").asInt()).isZero();
    call(served, jobs + "/release", "ReleaseJobRequest", "{\"worker\": \"w\"}", "Job");
    call(served, "/v1/jobs/claim", "ClaimJobRequest", "{\"queues\": [\"q\"], \"worker\": \"w\"}", "ClaimJobResponse");
    call(served, jobs + "/fail", "FailJobRequest", "{\"worker\": \"w\", \"retry_delay_seconds\": 0}", "Job");
    call(served, "/v1/jobs/claim", "ClaimJobRequest", "{\"queues\": [\"q\"], \"worker\": \"w\"}", "ClaimJobResponse");
    ObjectNode completed = call(served, jobs + "/complete", "CompleteJobRequest", "{\"worker\": \"w\", \"outcome\": \"failed\", "
        + "\"result\": {\"a\": []}, \"attestation\": {\"media_type\": \"a/b\", \"body\": \"AAEC/w==\"}}", "Job");
    assertThat(completed.get("outcome").asText()).isEqualTo("failed");
    assertThat(completed.get("attempts").asInt()).isEqualTo(3);
    assertThat(served.get(jobs + "/attestation").http().body()).isEqualTo(new byte[] {0, 1, 2, (byte) 0xff});
    // What Protobuf stored, JSON reads.
    assertThat(new String(served.get(jobs).http().body(), StandardCharsets.UTF_8)).isEqualTo(completed.toString());
  }

  @Test
  void every_answer_is_offered_in_protobuf() throws IOException, MalformedMessage {
    ObjectNode batch = call(api, "/v1/jobs/batch", "EnqueueJobsRequest", "{\"jobs\": [{\"queue\": \"b\"}, {\"queue\": \"b\"}]}",
        "EnqueueJobsResponse");
    assertThat(batch.get("jobs")).hasSize(2);
    String job = "/v1/jobs/" + batch.at("/jobs/0/job_id").asText();
    assertThat(asked("POST", job + "/cancel", "Job").get("state").asText()).isEqualTo("cancelled");
    assertThat(asked("POST", job + "/retry", "Job").get("state").asText()).isEqualTo("queued");
    assertThat(asked("GET", job, "Job").get("queue").asText()).isEqualTo("b");
    assertThat(asked("GET", "/v1/jobs?queue=b&page_size=1", "ListJobsResponse").get("next_page_token").asText()).isNotEmpty();
    assertThat(asked("GET", "/v1/queues", "ListQueuesResponse").get("queues")).isNotEmpty();
    assertThat(asked("GET", "/v1/queues/b", "Queue").at("/depth/queued").asInt()).isEqualTo(2);
    Api.Answer updated = api.send(api.request("/v1/queues/b").header("Content-Type", PROTOBUF).method("PATCH",
        BodyPublishers.ofByteArray(TRANSCODER.toProtobuf("UpdateQueueRequest", JSON.readTree("{\"paused\": true}")))).build());
    assertThat(json("Queue", updated.http().body()).get("paused").asBoolean()).isTrue();
  }

  private static ObjectNode asked(String method, String path, String message) throws MalformedMessage {
    Api.Answer answer = api.send(api.request(path).header("Accept", PROTOBUF).method(method, BodyPublishers.noBody()).build());
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).isEqualTo(PROTOBUF);
    return TRANSCODER.toJson(message, answer.http().body());
  }

  @Test
  void the_answer_is_as_accept_says_else_as_the_request_else_json() {
    byte[] request = TRANSCODER.toProtobuf("EnqueueJobRequest", JSON.createObjectNode().put("queue", "f"));

    assertThat(answerType("POST /v1/jobs HTTP/1.1", "Content-Type: " + PROTOBUF + "\r\n", request)).isEqualTo(PROTOBUF);
    assertThat(answerType("POST /v1/jobs HTTP/1.1", "Content-Type: " + PROTOBUF + "\r\nAccept: */*\r\n", request))
        .isEqualTo(PROTOBUF);
    assertThat(answerType("POST /v1/jobs HTTP/1.1", "Content-Type: " + PROTOBUF + "\r\nAccept: application/json\r\n", request))
        .isEqualTo("application/json");
    assertThat(answerType("GET /v1/jobs HTTP/1.1", "", new byte[0])).isEqualTo("application/json");
    assertThat(answerType("GET /v1/jobs HTTP/1.1", "Accept: " + PROTOBUF + ", application/json;q=0.5\r\n", new byte[0]))
        .isEqualTo(PROTOBUF);
    // What generated clients send.
    assertThat(answerType("GET /v1/jobs HTTP/1.1",
        "Accept: application/json, application/x-protobuf, application/problem+json\r\n", new byte[0]))
        .isEqualTo("application/json");
    byte[] json = "{\"queue\": \"f\"}".getBytes(StandardCharsets.UTF_8);
    assertThat(answerType("POST /v1/jobs HTTP/1.1", "Content-Type: application/json; charset=utf-8\r\n", json))
        .isEqualTo("application/json");
    assertThat(answerType("POST /v1/jobs HTTP/1.1", "", json)).as("JSON where nothing is said").isEqualTo("application/json");
  }

  @Test
  void an_offer_of_another_protocol_is_ignored() {
    byte[] json = "{\"queue\": \"f\"}".getBytes(StandardCharsets.UTF_8);

    String answer = new RawHttp(api.base()).send("POST /v1/jobs HTTP/1.1", "Connection: Upgrade, HTTP2-Settings\r\n"
        + "Upgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\nContent-Type: application/json\r\n"
        + "Content-Length: " + json.length + "\r\n", json);

    assertThat(answer).startsWith("HTTP/1.1 201");
  }

  @Test
  void what_a_later_client_sends_more_in_protobuf_is_ignored() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(TRANSCODER.toProtobuf("EnqueueJobRequest", JSON.createObjectNode().put("queue", "f")));
    CodedOutputStream more = CodedOutputStream.newInstance(bytes);
    more.writeUInt64(99, -1);
    more.writeString(100, "new");
    more.flush();

    Api.Answer answer = post("/v1/jobs", bytes.toByteArray());

    assertThat(answer.status()).isEqualTo(201);
  }

  @Test
  void a_fencing_token_in_protobuf_is_all_of_its_64_bits() throws IOException {
    String jobId = api.post("/v1/jobs", "{\"queue\": \"token\"}").ok().get("job_id").asText();
    api.post("/v1/jobs/claim", "{\"queues\": [\"token\"], \"worker\": \"w\"}").ok();
    for (long beyond : new long[] {-1L, Long.MIN_VALUE, Long.MAX_VALUE, 4294967296L, 4294967297L}) {
      refused(post("/v1/jobs/" + jobId + "/heartbeat", join(field(1, "w"), uint64(5, beyond))), "fencing_token");
      refused(post("/v1/jobs/" + jobId + "/complete", join(field(1, "w"), uint64(7, beyond))), "fencing_token");
      refused(post("/v1/jobs/" + jobId + "/fail", join(field(1, "w"), uint64(6, beyond))), "fencing_token");
      refused(post("/v1/jobs/" + jobId + "/release", join(field(1, "w"), uint64(2, beyond))), "fencing_token");
    }
    Api.Answer stale = post("/v1/jobs/" + jobId + "/heartbeat", join(field(1, "w"), uint64(5, 2)));
    assertThat(stale.status()).isEqualTo(404);
    assertThat(json("Error", stale.http().body()).get("reason").asText()).isEqualTo("stale_fencing_token");
    assertThat(post("/v1/jobs/" + jobId + "/heartbeat", join(field(1, "w"), uint64(5, 1))).status()).isEqualTo(200);
    assertThat(post("/v1/jobs/" + jobId + "/heartbeat", join(field(1, "w"), uint64(5, 0))).status()).isEqualTo(200);
  }

  @Test
  void a_malformed_protobuf_message_is_refused_by_field() throws IOException {
    refused(post("/v1/jobs", new byte[] {(byte) 0xff}), "");
    refused(post("/v1/jobs", new byte[] {0x0a, 0x7f}), "");
    refused(post("/v1/jobs", new byte[0]), "queue");
    refused(post("/v1/jobs", field(1, "a b")), "queue");
    refused(post("/v1/jobs", join(field(1, "f"), field(2, "{\"a\":1,\"a\":2}"))), "payload");
    refused(post("/v1/jobs", join(field(1, "f"), field(2, "[]"))), "payload");
    refused(post("/v1/jobs", join(field(1, "f"), field(3, "text"))), "priority");
    refused(post("/v1/jobs/j/complete", join(field(1, "w"), new byte[] {0x10, 9})), "outcome");
    refused(post("/v1/jobs/j/complete", join(field(1, "w"), new byte[] {0x10, 0})), "outcome");
  }

  private static void refused(Api.Answer answer, String field) {
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.header("Content-Type")).isEqualTo(PROTOBUF);
    ObjectNode error = json("Error", answer.http().body());
    assertThat(error.get("code").asText()).isEqualTo("invalid_argument");
    assertThat(error.at("/errors/0/field").asText()).isEqualTo(field);
  }

  private static ObjectNode call(Api served, String path, String request, String json, String response)
      throws IOException, MalformedMessage {
    Api.Answer answer = served.send(served.request(path).header("Content-Type", PROTOBUF)
        .POST(BodyPublishers.ofByteArray(TRANSCODER.toProtobuf(request, JSON.readTree(json)))).build());
    assertThat(answer.status()).as(new String(answer.http().body(), StandardCharsets.UTF_8)).isIn(200, 201);
    assertThat(answer.header("Content-Type")).isEqualTo(PROTOBUF);
    return TRANSCODER.toJson(response, answer.http().body());
  }

  private static Api.Answer post(String path, byte[] body) {
    return api.send(api.request(path).header("Content-Type", PROTOBUF).POST(BodyPublishers.ofByteArray(body)).build());
  }

  private static String answerType(String firstLine, String headers, byte[] body) {
    String answer = new RawHttp(api.base())
        .send(firstLine, headers + (body.length == 0 ? "" : "Content-Length: " + body.length + "\r\n"), body);
    assertThat(answer).containsPattern("^HTTP/1.1 20[01]");
    return answer.lines().filter(line -> line.startsWith("Content-Type: ")).findFirst().orElseThrow()
        .substring("Content-Type: ".length());
  }

  private static ObjectNode json(String message, byte[] protobuf) {
    try {
      return TRANSCODER.toJson(message, protobuf);
    } catch (MalformedMessage malformed) {
      throw new AssertionError(malformed);
    }
  }

  private static byte[] field(int number, String text) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream output = CodedOutputStream.newInstance(bytes);
    output.writeBytes(number, ByteString.copyFromUtf8(text));
    output.flush();
    return bytes.toByteArray();
  }

  private static byte[] uint64(int number, long value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream output = CodedOutputStream.newInstance(bytes);
    output.writeUInt64(number, value);
    output.flush();
    return bytes.toByteArray();
  }

  private static byte[] join(byte[] first, byte[] second) {
    return ByteString.copyFrom(first).concat(ByteString.copyFrom(second)).toByteArray();
  }
}
