package dev.agwp.spec;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Label;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto.Type;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileOptions;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.EnumDescriptor;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.TimestampProto;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The Protobuf form of a contract: a message for each schema whose properties bear field numbers. The numbers come from the
 * document and from nowhere else (ADR-0005).
 */
public final class WireSchema {
  private static final String FILE_NAME = "agwp.proto";
  private static final int FIELD_NUMBER_MAX = 536_870_911;

  private final Contract contract;
  private final FileDescriptor file;

  private WireSchema(Contract contract, FileDescriptor file) {
    this.contract = contract;
    this.file = file;
  }

  /** @throws IllegalArgumentException when a property has no number, a number is used twice, or a type has no Protobuf form */
  public static WireSchema of(Contract contract) {
    FileDescriptorProto.Builder file = FileDescriptorProto.newBuilder()
        .setName(FILE_NAME)
        .setSyntax("proto3")
        .setPackage(contract.document().path("x-protobuf-package").asText())
        .addDependency(TimestampProto.getDescriptor().getName())
        .setOptions(options(contract.document().path("x-protobuf-options")));
    enums(contract).forEach((name, values) -> file.addEnumType(enumeration(name, values)));
    for (String name : contract.schemaNames()) {
      if (isMessage(contract.schema(name))) {
        file.addMessageType(message(contract, name));
      }
    }
    try {
      return new WireSchema(contract,
          FileDescriptor.buildFrom(file.build(), new FileDescriptor[] {TimestampProto.getDescriptor()}));
    } catch (DescriptorValidationException invalid) {
      throw new IllegalArgumentException("no Protobuf form: " + invalid.getMessage(), invalid);
    }
  }

  public FileDescriptor file() {
    return file;
  }

  /** @throws IllegalArgumentException when no message has this name */
  public Descriptor message(String name) {
    Descriptor message = file.findMessageTypeByName(name);
    if (message == null) {
      throw new IllegalArgumentException("no message is named " + name);
    }
    return message;
  }

  Contract contract() {
    return contract;
  }

  /** The word of the contract for an enum's number; the number itself when this release does not know it. */
  static String word(EnumDescriptor enumeration, int number) {
    var known = enumeration.findValueByNumber(number);
    return known == null ? String.valueOf(number)
        : known.getName().substring(prefix(enumeration.getName()).length()).toLowerCase(Locale.ROOT);
  }

  static String constant(String enumName, String word) {
    return prefix(enumName) + word.toUpperCase(Locale.ROOT);
  }

  private static String prefix(String enumName) {
    return enumName.replaceAll("(?<=[a-z0-9])(?=[A-Z])", "_").toUpperCase(Locale.ROOT) + "_";
  }

  static boolean isMessage(JsonNode schema) {
    return schema.has("properties") && !schema.path("x-json-only").asBoolean();
  }

  /** The name of the schema a property refers to, null when it refers to none. */
  static String referred(JsonNode property) {
    JsonNode reference = property.has("allOf") ? property.path("allOf").path(0).path("$ref") : property.path("$ref");
    return reference.isTextual() ? reference.asText().substring(reference.asText().lastIndexOf('/') + 1) : null;
  }

  private static FileOptions options(JsonNode given) {
    return FileOptions.newBuilder()
        .setJavaMultipleFiles(given.path("java_multiple_files").asBoolean())
        .setJavaPackage(given.path("java_package").asText())
        .setGoPackage(given.path("go_package").asText())
        .build();
  }

  /** Enum name to its values; an open set on the JSON side names its enum on the property. */
  private static Map<String, JsonNode> enums(Contract contract) {
    Map<String, JsonNode> enums = new java.util.LinkedHashMap<>();
    for (String name : contract.schemaNames()) {
      JsonNode schema = contract.schema(name);
      if (schema.has("enum")) {
        putEnum(enums, name, schema.path("x-protobuf-enum"));
      }
      schema.path("properties").forEach(property -> {
        if (property.has("x-protobuf-enum-name")) {
          putEnum(enums, property.get("x-protobuf-enum-name").asText(), property.path("x-protobuf-enum"));
        }
      });
    }
    return enums;
  }

  private static void putEnum(Map<String, JsonNode> enums, String name, JsonNode values) {
    JsonNode other = enums.putIfAbsent(name, values);
    if (values.isEmpty() || other != null && !other.equals(values)) {
      throw new IllegalArgumentException("enum " + name + " needs x-protobuf-enum, with the same numbers wherever it stands");
    }
  }

  private static EnumDescriptorProto enumeration(String name, JsonNode values) {
    EnumDescriptorProto.Builder enumeration = EnumDescriptorProto.newBuilder().setName(name);
    enumeration.addValue(EnumValueDescriptorProto.newBuilder().setName(constant(name, "unspecified")).setNumber(0));
    values.properties().forEach(value -> enumeration.addValue(
        EnumValueDescriptorProto.newBuilder().setName(constant(name, value.getKey())).setNumber(value.getValue().asInt())));
    return enumeration.build();
  }

  private static DescriptorProto message(Contract contract, String name) {
    List<FieldDescriptorProto.Builder> fields = new ArrayList<>();
    Map<Integer, String> taken = new HashMap<>();
    contract.schema(name).path("properties").properties().forEach(property -> {
      int number = property.getValue().path("x-protobuf-index").asInt();
      if (number < 1 || number > FIELD_NUMBER_MAX) {
        throw new IllegalArgumentException(name + "." + property.getKey() + " needs an x-protobuf-index of 1.." + FIELD_NUMBER_MAX);
      }
      String other = taken.putIfAbsent(number, property.getKey());
      if (other != null) {
        throw new IllegalArgumentException(name + "." + property.getKey() + " and " + other + " have the same number " + number);
      }
      fields.add(field(contract, name, property.getKey(), property.getValue()).setNumber(number));
    });
    fields.sort(Comparator.comparing(FieldDescriptorProto.Builder::getNumber));
    DescriptorProto.Builder message = DescriptorProto.newBuilder().setName(name);
    for (FieldDescriptorProto.Builder field : fields) {
      if (field.getProto3Optional()) {
        field.setOneofIndex(message.getOneofDeclCount());
        message.addOneofDecl(OneofDescriptorProto.newBuilder().setName("_" + field.getName()));
      }
      message.addField(field);
    }
    return message.build();
  }

  private static FieldDescriptorProto.Builder field(Contract contract, String message, String name, JsonNode property) {
    FieldDescriptorProto.Builder field = FieldDescriptorProto.newBuilder().setName(name).setJsonName(name);
    boolean repeated = property.path("type").asText().equals("array");
    type(contract, field, message + "." + name, repeated ? property.path("items") : property);
    field.setLabel(repeated ? Label.LABEL_REPEATED : Label.LABEL_OPTIONAL);
    // Presence matters: a progress of 0 is not a progress that was not given. Messages have it without saying so.
    if (!repeated && field.getType() != Type.TYPE_MESSAGE) {
      field.setProto3Optional(true);
    }
    return field;
  }

  private static void type(Contract contract, FieldDescriptorProto.Builder field, String place, JsonNode schema) {
    String referred = referred(schema);
    String packageName = "." + contract.document().path("x-protobuf-package").asText() + ".";
    if (referred != null) {
      field.setType(contract.schema(referred).has("enum") ? Type.TYPE_ENUM : Type.TYPE_MESSAGE).setTypeName(packageName + referred);
      return;
    }
    if (schema.has("x-protobuf-enum-name")) {
      field.setType(Type.TYPE_ENUM).setTypeName(packageName + schema.get("x-protobuf-enum-name").asText());
      return;
    }
    String format = schema.path("format").asText();
    if (format.equals("date-time")) {
      field.setType(Type.TYPE_MESSAGE).setTypeName(".google.protobuf.Timestamp");
      return;
    }
    field.setType(scalar(place, schema.path("type").asText(), format, schema.path("x-protobuf-data-type").asText()));
  }

  private static Type scalar(String place, String type, String format, String wanted) {
    return switch (wanted.isEmpty() ? type + " " + format : wanted) {
      case "uint32" -> Type.TYPE_UINT32;
      case "uint64" -> Type.TYPE_UINT64;
      case "bytes", "string byte" -> Type.TYPE_BYTES;
      case "integer int32" -> Type.TYPE_INT32;
      case "integer int64" -> Type.TYPE_INT64;
      case "boolean " -> Type.TYPE_BOOL;
      case "number double" -> Type.TYPE_DOUBLE;
      case "string " -> Type.TYPE_STRING;
      default -> throw new IllegalArgumentException(place + " has a type without a Protobuf form: " + type + " " + format + wanted);
    };
  }
}
