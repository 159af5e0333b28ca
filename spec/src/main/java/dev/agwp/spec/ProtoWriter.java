package dev.agwp.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import java.util.Locale;

/**
 * Writes {@code agwp.proto} from the contract. The stock generator is not used: where a number is missing it makes one from a hash of
 * the name, and nobody is told (ADR-0005).
 */
public final class ProtoWriter {
  private static final int LINE_CHARS_MAX = 110;

  private final WireSchema wire;
  private final StringBuilder proto = new StringBuilder();

  private ProtoWriter(WireSchema wire) {
    this.wire = wire;
  }

  /** The text of the file; the same contract always gives the same text. */
  public static String write(Contract contract) {
    return new ProtoWriter(WireSchema.of(contract)).file(contract);
  }

  private String file(Contract contract) {
    FileDescriptor file = wire.file();
    line(0, "// Produced from openapi.yaml, release " + contract.version() + ". Do not edit: change the contract instead.");
    line(0, "syntax = \"proto3\";");
    line(0, "");
    line(0, "package " + file.getPackage() + ";");
    line(0, "");
    line(0, "import \"google/protobuf/timestamp.proto\";");
    line(0, "");
    line(0, "option go_package = \"" + file.getOptions().getGoPackage() + "\";");
    line(0, "option java_multiple_files = " + file.getOptions().getJavaMultipleFiles() + ";");
    line(0, "option java_package = \"" + file.getOptions().getJavaPackage() + "\";");
    file.getEnumTypes().forEach(this::enumeration);
    file.getMessageTypes().forEach(this::message);
    return proto.toString();
  }

  private void enumeration(EnumDescriptor enumeration) {
    line(0, "");
    line(0, "enum " + enumeration.getName() + " {");
    for (EnumValueDescriptor value : enumeration.getValues()) {
      line(1, value.getName() + " = " + value.getNumber() + ";");
    }
    line(0, "}");
  }

  private void message(Descriptor message) {
    JsonNode schema = wire.contract().schema(message.getName());
    line(0, "");
    comment(0, schema.path("description").asText());
    line(0, "message " + message.getName() + " {");
    for (FieldDescriptor field : message.getFields()) {
      comment(1, schema.path("properties").path(field.getName()).path("description").asText());
      String label = field.isRepeated() ? "repeated " : field.toProto().getProto3Optional() ? "optional " : "";
      // json_name keeps the names of the contract: the default would be camelCase.
      String jsonName = field.getName().contains("_") ? " [json_name = \"" + field.getJsonName() + "\"]" : "";
      line(1, label + type(field) + " " + field.getName() + " = " + field.getNumber() + jsonName + ";");
    }
    line(0, "}");
  }

  private static String type(FieldDescriptor field) {
    return switch (field.getType()) {
      case MESSAGE -> field.getMessageType().getFile() == field.getFile()
          ? field.getMessageType().getName() : field.getMessageType().getFullName();
      case ENUM -> field.getEnumType().getName();
      default -> field.getType().name().toLowerCase(Locale.ROOT);
    };
  }

  private void comment(int depth, String text) {
    String indent = "  ".repeat(depth) + "//";
    StringBuilder line = new StringBuilder(indent);
    for (String word : text.strip().split("\\s+")) {
      if (line.length() + 1 + word.length() > LINE_CHARS_MAX) {
        proto.append(line).append('\n');
        line = new StringBuilder(indent);
      }
      line.append(' ').append(word);
    }
    proto.append(line).append('\n');
  }

  private void line(int depth, String text) {
    proto.append(text.isEmpty() ? "" : "  ".repeat(depth) + text).append('\n');
  }
}
