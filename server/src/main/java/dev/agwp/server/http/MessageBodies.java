package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.message.Job;
import dev.agwp.spec.MalformedMessage;
import dev.agwp.spec.Transcoder;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.MultivaluedMap;
import jakarta.ws.rs.ext.MessageBodyReader;
import jakarta.ws.rs.ext.MessageBodyWriter;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.annotation.Annotation;
import java.lang.reflect.Type;

/**
 * Reads and writes the generated messages as JSON and as Protobuf.
 *
 * <p>A Protobuf message becomes the JSON tree it stands for first, so both formats pass the same strict checks.
 */
@Consumes({"application/json", "application/x-protobuf"})
@Produces({"application/json", "application/x-protobuf"})
final class MessageBodies implements MessageBodyReader<Object>, MessageBodyWriter<Object> {
  private static final Package MESSAGES = Job.class.getPackage();

  private final Transcoder transcoder;
  private final FieldRules rules;
  private final BodyMemory memory;

  MessageBodies(Transcoder transcoder, FieldRules rules, BodyMemory memory) {
    this.transcoder = transcoder;
    this.rules = rules;
    this.memory = memory;
  }

  @Override
  public boolean isReadable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
    return isMessage(type);
  }

  @Override
  public Object readFrom(Class<Object> type, Type genericType, Annotation[] annotations, MediaType mediaType,
      MultivaluedMap<String, String> headers, InputStream body) throws IOException {
    byte[] bytes = body.readAllBytes();
    memory.take(bytes);
    String schema = type.getSimpleName();
    JsonParser json = Format.PROTOBUF.is(mediaType) ? Json.MAPPER.treeAsTokens(fromProtobuf(schema, bytes)) : Json.parser(bytes);
    try {
      return Json.read(new CheckedParser(json, rules.lists(schema)), type);
    } catch (JsonMappingException misfit) {
      throw rules.explain(schema, misfit);
    }
  }

  private JsonNode fromProtobuf(String schema, byte[] bytes) {
    try {
      return transcoder.toJson(schema, bytes);
    } catch (MalformedMessage malformed) {
      String field = malformed.field();
      ApiException refused = new ApiException(INVALID_ARGUMENT, malformed.getMessage());
      throw field.isEmpty() ? refused : refused.at(field);
    }
  }

  @Override
  public boolean isWriteable(Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType) {
    return isMessage(type);
  }

  @Override
  public void writeTo(Object message, Class<?> type, Type genericType, Annotation[] annotations, MediaType mediaType,
      MultivaluedMap<String, Object> headers, OutputStream body) throws IOException {
    body.write(bytes(message, Format.PROTOBUF.is(mediaType) ? Format.PROTOBUF : Format.JSON));
  }

  byte[] bytes(Object message, Format format) throws JsonProcessingException {
    return switch (format) {
      case JSON -> Json.MAPPER.writeValueAsBytes(message);
      case PROTOBUF -> transcoder.toProtobuf(message.getClass().getSimpleName(), Json.MAPPER.valueToTree(message));
    };
  }

  private static boolean isMessage(Class<?> type) {
    return MESSAGES.equals(type.getPackage());
  }
}
