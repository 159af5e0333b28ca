package dev.agwp.compat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.agwp.sdk.internal.ApiClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What protoc generates from one release, and the messages of its SDK, as the harness drives them: one JSON object a line, in and out. A
 * process of its own on the classes of one release. It calls in Protobuf alone, since in JSON the SDK calls.
 */
public final class JavaWireDriver {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final ObjectMapper SDK_JSON = ApiClient.createDefaultObjectMapper();
  private static final String PROTOBUF = "application/x-protobuf";

  private final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  public static void main(String[] args) throws IOException, InterruptedException, ReflectiveOperationException {
    PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    out.println(event("ready"));
    JavaWireDriver driver = new JavaWireDriver();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      JsonNode order = JSON.readTree(line);
      ObjectNode told = order.get("do").asText().equals("call") ? driver.call(order) : recode(order);
      out.println(told.put("id", order.get("id").asInt()));
    }
  }

  private static ObjectNode event(String name) {
    return JSON.createObjectNode().put("event", name);
  }

  private ObjectNode call(JsonNode order) throws IOException, InterruptedException, ReflectiveOperationException {
    String operation = order.get("operation").asText();
    Message.Builder request = message(Character.toUpperCase(operation.charAt(0)) + operation.substring(1) + "Request").newBuilderForType();
    for (Map.Entry<String, JsonNode> given : order.get("request").properties()) {
      FieldDescriptor field = request.getDescriptorForType().findFieldByName(given.getKey());
      if (field == null) {
        return event("invalid").put("message", "there is no " + given.getKey());
      }
      request.setField(field, valueOf(field, given.getValue()));
    }
    HttpResponse<byte[]> answer = http.send(HttpRequest.newBuilder(URI.create(order.get("server").asText()
            + "/v1/jobs/" + order.get("job_id").asText() + "/" + operation.replace("Job", "")))
        .header("Content-Type", PROTOBUF).header("Accept", PROTOBUF)
        .POST(BodyPublishers.ofByteArray(request.build().toByteArray())).build(), BodyHandlers.ofByteArray());
    return answer.statusCode() == 200
        ? event("answer").put("job_id", text("Job", "job_id", answer.body()))
        : event("refused").put("code", text("Error", "code", answer.body()));
  }

  private static Object valueOf(FieldDescriptor field, JsonNode value) {
    return switch (field.getJavaType()) {
      case LONG -> value.asLong();
      case INT -> value.asInt();
      case ENUM -> field.getEnumType().findValueByName(value.asText());
      default -> value.asText();
    };
  }

  private static String text(String name, String field, byte[] bytes) throws IOException, ReflectiveOperationException {
    Message message = message(name).getParserForType().parseFrom(bytes);
    return (String) message.getField(message.getDescriptorForType().findFieldByName(field));
  }

  private static ObjectNode recode(JsonNode order) throws IOException, ReflectiveOperationException {
    String name = order.get("message").asText();
    byte[] bytes = order.get("bytes").binaryValue();
    try {
      return event("recoded").put("bytes", order.get("format").asText().equals("json")
          ? SDK_JSON.writeValueAsBytes(SDK_JSON.readValue(bytes, Class.forName("dev.agwp.sdk.model." + name)))
          // Without its unknown fields, else what the release does not know would go through unread.
          : DiscardUnknownFieldsParser.wrap(message(name).getParserForType()).parseFrom(bytes).toByteArray());
    } catch (JsonProcessingException | InvalidProtocolBufferException malformed) {
      return event("invalid").put("message", malformed.getMessage());
    }
  }

  private static Message message(String name) throws ReflectiveOperationException {
    return (Message) Class.forName("dev.agwp.v1." + name).getMethod("getDefaultInstance").invoke(null);
  }
}
