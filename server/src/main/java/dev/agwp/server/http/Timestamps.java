package dev.agwp.server.http;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.SerializerProvider;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import com.fasterxml.jackson.databind.ser.std.StdScalarSerializer;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Times between the database's milliseconds, the generated messages and RFC 3339. */
public final class Timestamps {
  private static final DateTimeFormatter MILLIS_UTC = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'");
  // The range of google.protobuf.Timestamp, so that each time can be said in both formats.
  private static final int YEAR_MIN = 1;
  private static final int YEAR_MAX = 9999;

  private Timestamps() {}

  /** Null for null. */
  public static OffsetDateTime ofMillis(Long epochMs) {
    return epochMs == null ? null : Instant.ofEpochMilli(epochMs).atOffset(ZoneOffset.UTC);
  }

  /** As JSON has it, for a sentence. */
  public static String text(long epochMs) {
    return MILLIS_UTC.format(ofMillis(epochMs));
  }

  /** Null for null. */
  public static Long toMillis(OffsetDateTime time) {
    return time == null ? null : time.toInstant().toEpochMilli();
  }

  static final class Reader extends StdScalarDeserializer<OffsetDateTime> {
    Reader() {
      super(OffsetDateTime.class);
    }

    @Override
    public OffsetDateTime deserialize(JsonParser parser, DeserializationContext context) throws IOException {
      if (parser.currentToken() != JsonToken.VALUE_STRING) {
        throw context.weirdStringException(parser.getText(), OffsetDateTime.class, "not an RFC 3339 time");
      }
      try {
        OffsetDateTime utc = OffsetDateTime.parse(parser.getText()).withOffsetSameInstant(ZoneOffset.UTC);
        if (utc.getYear() >= YEAR_MIN && utc.getYear() <= YEAR_MAX) {
          return utc;
        }
      } catch (DateTimeException malformed) {
        // Refused below, like a time out of range.
      }
      throw context.weirdStringException(parser.getText(), OffsetDateTime.class, "not an RFC 3339 time");
    }
  }

  static final class Writer extends StdScalarSerializer<OffsetDateTime> {
    Writer() {
      super(OffsetDateTime.class);
    }

    @Override
    public void serialize(OffsetDateTime time, JsonGenerator json, SerializerProvider provider) throws IOException {
      json.writeString(MILLIS_UTC.format(time.withOffsetSameInstant(ZoneOffset.UTC)));
    }
  }
}
