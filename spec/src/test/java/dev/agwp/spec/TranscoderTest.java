package dev.agwp.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class TranscoderTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Contract contract = Contract.load();
  private final Transcoder transcoder = new Transcoder(WireSchema.of(contract));

  private interface Writing {
    void to(CodedOutputStream output) throws IOException;
  }

  @Test
  void every_example_of_the_contract_comes_back_as_it_went() throws MalformedMessage, IOException {
    for (String name : contract.schemaNames()) {
      JsonNode schema = contract.schema(name);
      if (WireSchema.isMessage(schema)) {
        ObjectNode back = transcoder.toJson(name, transcoder.toProtobuf(name, schema.get("example")));
        assertThat(JSON.readTree(back.toString())).as(name).isEqualTo(JSON.readTree(schema.get("example").toString()));
      }
    }
  }

  @Test
  void fields_of_a_later_release_are_ignored() throws MalformedMessage {
    ObjectNode json = transcoder.toJson("ReleaseJobRequest", bytes(output -> {
      output.writeString(1, "w");
      output.writeUInt64(98, -1);
      output.writeString(99, "new");
      output.writeDouble(100, 1);
    }));

    assertThat(json.toString()).isEqualTo("{\"worker\":\"w\"}");
  }

  @Test
  void an_enum_number_of_a_later_release_is_kept() throws MalformedMessage {
    ObjectNode json = transcoder.toJson("Job", bytes(output -> output.writeEnum(3, 77)));

    assertThat(json.get("state").asText()).isEqualTo("77");
    assertThat(transcoder.toJson("Job", transcoder.toProtobuf("Job", json))).isEqualTo(json);
  }

  @Test
  void numbers_keep_their_whole_range() throws MalformedMessage {
    assertThat(transcoder.toJson("Job", bytes(output -> output.writeUInt32(6, -1))).get("attempts").asLong()).isEqualTo(4294967295L);
    assertThat(transcoder.toJson("QueueDepth", bytes(output -> output.writeUInt64(1, -1))).get("queued").bigIntegerValue())
        .isEqualTo("18446744073709551615");
    assertThat(transcoder.toJson("Job", bytes(output -> output.writeInt32(5, Integer.MIN_VALUE))).get("priority").asInt())
        .isEqualTo(Integer.MIN_VALUE);
  }

  @Test
  void zero_that_was_given_is_not_absent() throws MalformedMessage {
    assertThat(transcoder.toJson("HeartbeatJobRequest", bytes(output -> output.writeUInt32(3, 0))).toString())
        .isEqualTo("{\"progress\":0}");
    assertThat(transcoder.toJson("HeartbeatJobRequest", new byte[0]).toString()).isEqualTo("{}");
  }

  @Test
  void a_required_list_is_there_though_empty() throws MalformedMessage {
    assertThat(transcoder.toJson("ClaimJobResponse", new byte[0]).toString()).isEqualTo("{\"jobs\":[]}");
  }

  @Test
  void null_is_not_given() throws MalformedMessage {
    byte[] bytes = transcoder.toProtobuf("HeartbeatJobRequest", JSON.createObjectNode().put("worker", "w").putNull("progress"));

    assertThat(transcoder.toJson("HeartbeatJobRequest", bytes).toString()).isEqualTo("{\"worker\":\"w\"}");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "[]", "1", "{", "{} x", "{\"a\":1,\"a\":2}", "null", "\u0001"})
  void a_payload_that_is_not_one_json_object_is_malformed(String payload) {
    assertMalformed("EnqueueJobRequest", "payload", output -> output.writeBytes(2, ByteString.copyFromUtf8(payload)));
  }

  @Test
  void a_payload_too_deep_or_not_utf_8_is_malformed_and_named_by_its_place() {
    assertMalformed("EnqueueJobRequest", "payload",
        output -> output.writeBytes(2, ByteString.copyFromUtf8("{\"a\":".repeat(5000) + "1" + "}".repeat(5000))));
    assertMalformed("EnqueueJobRequest", "payload", output -> output.writeByteArray(2, new byte[] {(byte) 0xff}));
    assertMalformed("EnqueueJobsRequest", "jobs[1].payload", output -> {
      output.writeByteArray(1, bytes(job -> job.writeString(1, "q")));
      output.writeByteArray(1, bytes(job -> job.writeBytes(2, ByteString.copyFromUtf8("[]"))));
    });
  }

  @Test
  void a_known_number_of_another_type_is_malformed() {
    assertMalformed("HeartbeatJobRequest", "worker", output -> output.writeUInt32(1, 5));
    assertMalformed("HeartbeatJobRequest", "lease_seconds", output -> output.writeString(2, "60"));
    assertMalformed("Job", "run_at", output -> output.writeUInt32(10, 5));
    assertMalformed("Job", "run_at", output -> output.writeByteArray(10, bytes(time -> time.writeString(1, "x"))));
  }

  @Test
  void a_time_out_of_range_is_malformed() {
    assertMalformed("Job", "run_at", output -> output.writeByteArray(10, bytes(time -> time.writeInt64(1, 253402300800L))));
    assertMalformed("Job", "run_at", output -> output.writeByteArray(10, bytes(time -> time.writeInt64(1, -62135596801L))));
    assertMalformed("Job", "run_at", output -> output.writeByteArray(10, bytes(time -> time.writeInt32(2, 1_000_000_000))));
    assertMalformed("Job", "run_at", output -> output.writeByteArray(10, bytes(time -> time.writeInt32(2, -1))));
  }

  @Test
  void times_are_cut_to_milliseconds_towards_the_past() throws MalformedMessage {
    assertThat(transcoder.toJson("Job", bytes(output -> output.writeByteArray(10, bytes(time -> {
      time.writeInt64(1, -1);
      time.writeInt32(2, 999_999_999);
    })))).get("run_at").asText()).isEqualTo("1969-12-31T23:59:59.999Z");
  }

  @Test
  void random_bytes_are_malformed_or_a_message_and_nothing_else() {
    Random random = new Random(42);
    int malformed = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(40)];
      random.nextBytes(bytes);
      try {
        transcoder.toJson("Job", bytes);
      } catch (MalformedMessage expected) {
        malformed++;
      }
    }
    assertThat(malformed).isPositive();
  }

  private void assertMalformed(String message, String field, Writing writing) {
    MalformedMessage malformed = catchThrowableOfType(MalformedMessage.class, () -> transcoder.toJson(message, bytes(writing)));
    assertThat(malformed).isNotNull();
    assertThat(malformed.field()).isEqualTo(field);
    assertThat(malformed).hasMessageStartingWith(field + " ");
  }

  private static byte[] bytes(Writing writing) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream output = CodedOutputStream.newInstance(bytes);
    try {
      writing.to(output);
      output.flush();
    } catch (IOException impossible) {
      throw new java.io.UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }
}
