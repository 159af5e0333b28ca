package dev.agwp.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.List;

/**
 * Turns a message between its two forms, the JSON tree and the Protobuf bytes, so that each rule about a message need be written
 * for one of them only (ADR-0005). Unknown fields are dropped; unknown enum numbers are kept as their decimal text.
 */
public final class Transcoder {
  private static final JsonNodeFactory NODES = JsonNodeFactory.withExactBigDecimals(true);
  private static final DateTimeFormatter MILLIS_UTC = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'");
  private static final long TIMESTAMP_SECONDS_MIN = -62_135_596_800L;
  private static final long TIMESTAMP_SECONDS_MAX = 253_402_300_799L;
  private static final int NANOS_MAX = 999_999_999;

  private final WireSchema wire;

  public Transcoder(WireSchema wire) {
    this.wire = wire;
  }

  /**
   * The Protobuf form of a message of the contract. Absent and null members are left unset.
   *
   * @throws IllegalArgumentException when a member is not of its field's type
   */
  public byte[] toProtobuf(String message, JsonNode json) {
    return message(wire.message(message), json).toByteArray();
  }

  /**
   * The JSON form; unset fields are absent, except lists the contract requires, which are empty. Times keep milliseconds.
   *
   * @throws MalformedMessage when the bytes are cut short, not of this message's types, or hold JSON that is none
   */
  public ObjectNode toJson(String message, byte[] protobuf) throws MalformedMessage {
    DynamicMessage parsed;
    try {
      parsed = DynamicMessage.parseFrom(wire.message(message), protobuf);
    } catch (InvalidProtocolBufferException malformed) {
      throw new MalformedMessage("", "the body is not a well-formed " + message + " message; send one as agwp.proto has it");
    }
    return json(parsed, "");
  }

  private Message message(Descriptor type, JsonNode json) {
    DynamicMessage.Builder message = DynamicMessage.newBuilder(type);
    for (FieldDescriptor field : type.getFields()) {
      JsonNode value = json.get(field.getName());
      if (value == null || value.isNull()) {
        continue;
      }
      if (field.isRepeated()) {
        value.forEach(item -> message.addRepeatedField(field, scalar(field, item)));
      } else {
        message.setField(field, scalar(field, value));
      }
    }
    return message.build();
  }

  private Object scalar(FieldDescriptor field, JsonNode value) {
    return switch (field.getType()) {
      case STRING -> value.textValue();
      case BOOL -> value.booleanValue();
      case INT32, UINT32 -> value.bigIntegerValue().intValue();
      case INT64, UINT64 -> value.bigIntegerValue().longValue();
      case DOUBLE -> value.doubleValue();
      case BYTES -> isJsonBytes(field) ? ByteString.copyFromUtf8(value.toString()) : base64(field, value);
      case ENUM -> number(field.getEnumType(), value.textValue());
      case MESSAGE -> isTimestamp(field) ? timestamp(field.getMessageType(), value) : message(field.getMessageType(), value);
      default -> throw new IllegalStateException("the contract has no " + field.getType());
    };
  }

  private static ByteString base64(FieldDescriptor field, JsonNode value) {
    try {
      return ByteString.copyFrom(Base64.getDecoder().decode(value.textValue()));
    } catch (IllegalArgumentException malformed) {
      throw new IllegalArgumentException(field.getName() + " must be base64", malformed);
    }
  }

  private static EnumValueDescriptor number(EnumDescriptor enumeration, String word) {
    EnumValueDescriptor known = enumeration.findValueByName(WireSchema.constant(enumeration.getName(), word));
    if (known != null) {
      return known;
    }
    try {
      return enumeration.findValueByNumberCreatingIfUnknown(Integer.parseInt(word));
    } catch (NumberFormatException unknown) {
      // A word of a later release has no number here: unspecified is what this release can say of it.
      return enumeration.findValueByNumber(0);
    }
  }

  private static Message timestamp(Descriptor type, JsonNode value) {
    Instant time;
    try {
      time = OffsetDateTime.parse(value.textValue()).toInstant();
    } catch (DateTimeException malformed) {
      throw new IllegalArgumentException("not an RFC 3339 time: " + value, malformed);
    }
    return DynamicMessage.newBuilder(type)
        .setField(type.findFieldByName("seconds"), time.getEpochSecond())
        .setField(type.findFieldByName("nanos"), time.getNano())
        .build();
  }

  private ObjectNode json(Message message, String path) throws MalformedMessage {
    ObjectNode json = NODES.objectNode();
    for (FieldDescriptor field : message.getDescriptorForType().getFields()) {
      String place = path.isEmpty() ? field.getName() : path + "." + field.getName();
      // The parser puts a known number with a foreign wire type aside as unknown; to drop it would lose what was meant.
      if (message.getUnknownFields().hasField(field.getNumber())) {
        throw new MalformedMessage(place, "has the wrong wire type; send " + field.getType().name().toLowerCase(java.util.Locale.ROOT));
      }
      if (field.isRepeated()) {
        List<?> values = (List<?>) message.getField(field);
        if (!values.isEmpty() || isRequired(field)) {
          json.set(field.getName(), list(field, values, place));
        }
      } else if (message.hasField(field)) {
        json.set(field.getName(), node(field, message.getField(field), place));
      }
    }
    return json;
  }

  private ArrayNode list(FieldDescriptor field, List<?> values, String place) throws MalformedMessage {
    ArrayNode list = NODES.arrayNode();
    for (int i = 0; i < values.size(); i++) {
      list.add(node(field, values.get(i), place + "[" + i + "]"));
    }
    return list;
  }

  private JsonNode node(FieldDescriptor field, Object value, String place) throws MalformedMessage {
    return switch (field.getType()) {
      case STRING -> NODES.textNode((String) value);
      case BOOL -> NODES.booleanNode((Boolean) value);
      case INT32 -> NODES.numberNode((Integer) value);
      case UINT32 -> NODES.numberNode(Integer.toUnsignedLong((Integer) value));
      case INT64 -> NODES.numberNode((Long) value);
      case UINT64 -> unsigned((Long) value);
      case DOUBLE -> NODES.numberNode((Double) value);
      case BYTES -> bytes(field, (ByteString) value, place);
      case ENUM -> NODES.textNode(WireSchema.word(field.getEnumType(), ((EnumValueDescriptor) value).getNumber()));
      case MESSAGE -> isTimestamp(field) ? time((Message) value, place) : json((Message) value, place);
      default -> throw new IllegalStateException("the contract has no " + field.getType());
    };
  }

  private static JsonNode unsigned(long value) {
    return value >= 0 ? NODES.numberNode(value) : NODES.numberNode(new BigInteger(Long.toUnsignedString(value)));
  }

  private JsonNode bytes(FieldDescriptor field, ByteString value, String place) throws MalformedMessage {
    return isJsonBytes(field)
        ? JsonBytes.object(value.toByteArray(), place)
        : NODES.textNode(new String(Base64.getEncoder().encode(value.toByteArray()), StandardCharsets.US_ASCII));
  }

  private static JsonNode time(Message timestamp, String place) throws MalformedMessage {
    Descriptor type = timestamp.getDescriptorForType();
    long seconds = (Long) timestamp.getField(type.findFieldByName("seconds"));
    int nanos = (Integer) timestamp.getField(type.findFieldByName("nanos"));
    if (!timestamp.getUnknownFields().asMap().isEmpty() && type.getFields().stream()
        .anyMatch(field -> timestamp.getUnknownFields().hasField(field.getNumber()))) {
      throw new MalformedMessage(place, "has the wrong wire type; send a google.protobuf.Timestamp");
    }
    if (seconds < TIMESTAMP_SECONDS_MIN || seconds > TIMESTAMP_SECONDS_MAX || nanos < 0 || nanos > NANOS_MAX) {
      throw new MalformedMessage(place, "must be a time of the years 1 to 9999 with 0..999999999 nanos");
    }
    // The formatter cuts what is finer than a millisecond, towards the past.
    return NODES.textNode(MILLIS_UTC.format(Instant.ofEpochSecond(seconds, nanos).atOffset(ZoneOffset.UTC)));
  }

  private static boolean isTimestamp(FieldDescriptor field) {
    return field.getMessageType().getFullName().equals("google.protobuf.Timestamp");
  }

  private boolean isJsonBytes(FieldDescriptor field) {
    return schema(field).path("properties").path(field.getName()).path("type").asText().equals("object");
  }

  private boolean isRequired(FieldDescriptor field) {
    for (JsonNode required : schema(field).path("required")) {
      if (required.asText().equals(field.getName())) {
        return true;
      }
    }
    return false;
  }

  private JsonNode schema(FieldDescriptor field) {
    return wire.contract().schema(field.getContainingType().getName());
  }
}
