package dev.agwp.spec.audit;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * An event of the audit log and the bytes that are hashed for it, its pre-image (ADR-0020): the version, then each {@link Field} in its
 * order, as 0 when absent, else as 1 and its value. Numbers have 8 bytes, texts are UTF-8 after their length in 4, the highest byte first.
 */
public final class Event {
  /** Another order, another field or another meaning is another version; what was written with this one is read for ever. */
  private static final byte VERSION = 1;
  private static final byte ABSENT = 0;
  private static final byte PRESENT = 1;
  private static final int TEXT_CHARS_MAX = 1_000;
  private static final long MICROS_PER_MS = 1_000;

  /** What an event can say, in the order of its bytes; what each means, the contract's AuditEvent tells. */
  public enum Field {
    /** Microseconds since 1970 by the database's clock. */
    AT(true),
    KIND(false),
    PRINCIPAL(false),
    WORKER(false),
    QUEUE(false),
    JOB_ID(false),
    ATTEMPTS(true),
    OUTCOME(false),
    REASON(false),
    SUBJECT_DIGEST(false),
    PAYLOAD_DIGEST(false),
    RESULT_DIGEST(false),
    ATTESTATION_DIGEST(false),
    SUBJECT(false),
    DETAIL(false),
    REQUEST_ID(false);

    private final boolean number;

    Field(boolean number) {
      this.number = number;
    }
  }

  private final Map<Field, Object> values;

  private Event(Map<Field, Object> values) {
    this.values = values;
  }

  /** @param atMs milliseconds since 1970 by the database's clock */
  public static Event of(EventKind kind, long atMs) {
    return new Event(new EnumMap<>(Field.class)).with(Field.AT, atMs * MICROS_PER_MS).with(Field.KIND, kind.word());
  }

  /** The same event with this field; a text is cut at 1000 characters, and null leaves the field absent. */
  public Event with(Field field, String text) {
    return text == null ? this : withValue(field, text.length() <= TEXT_CHARS_MAX ? text : cut(text));
  }

  /** The same event with this field; null leaves it absent. */
  public Event with(Field field, Long number) {
    return number == null ? this : withValue(field, number);
  }

  private Event withValue(Field field, Object value) {
    if (field.number != value instanceof Long) {
      throw new IllegalArgumentException(field + " cannot be " + value);
    }
    Map<Field, Object> more = new EnumMap<>(values);
    more.put(field, value);
    return new Event(more);
  }

  private static String cut(String text) {
    // Never between the two halves of one character.
    int end = Character.isHighSurrogate(text.charAt(TEXT_CHARS_MAX - 1)) ? TEXT_CHARS_MAX - 1 : TEXT_CHARS_MAX;
    return text.substring(0, end);
  }

  /** Null when absent. */
  public String text(Field field) {
    return (String) values.get(field);
  }

  /** Null when absent. */
  public Long number(Field field) {
    return (Long) values.get(field);
  }

  /** The fields that are present. */
  public Map<Field, Object> values() {
    return Collections.unmodifiableMap(values);
  }

  /** When the change was, in milliseconds since 1970; null when the event does not say. */
  public Long atMs() {
    return number(Field.AT) == null ? null : number(Field.AT) / MICROS_PER_MS;
  }

  /** The bytes that are hashed and stored. */
  public byte[] preimage() {
    Map<Field, byte[]> texts = new EnumMap<>(Field.class);
    int size = 1 + Field.values().length;
    for (Field field : values.keySet()) {
      if (field.number) {
        size += Long.BYTES;
      } else {
        texts.put(field, text(field).getBytes(StandardCharsets.UTF_8));
        size += Integer.BYTES + texts.get(field).length;
      }
    }
    ByteBuffer bytes = ByteBuffer.allocate(size).put(VERSION);
    for (Field field : Field.values()) {
      bytes.put(values.containsKey(field) ? PRESENT : ABSENT);
      if (field.number && values.containsKey(field)) {
        bytes.putLong(number(field));
      } else if (values.containsKey(field)) {
        bytes.putInt(texts.get(field).length).put(texts.get(field));
      }
    }
    return bytes.array();
  }

  /** The event of a pre-image; empty when it is of a version that this release does not know, or of none. */
  public static Optional<Event> read(byte[] preimage) {
    ByteBuffer bytes = ByteBuffer.wrap(preimage);
    Map<Field, Object> values = new EnumMap<>(Field.class);
    try {
      if (bytes.get() != VERSION) {
        return Optional.empty();
      }
      for (Field field : Field.values()) {
        if (bytes.get() == PRESENT) {
          values.put(field, field.number ? (Object) bytes.getLong() : readText(bytes));
        }
      }
    } catch (BufferUnderflowException | CharacterCodingException ofNoVersion) {
      return Optional.empty();
    }
    Event event = new Event(values);
    // One event has one form: what does not come back to its very bytes is none.
    return bytes.hasRemaining() || !ByteBuffer.wrap(event.preimage()).equals(ByteBuffer.wrap(preimage))
        ? Optional.empty() : Optional.of(event);
  }

  private static String readText(ByteBuffer bytes) throws CharacterCodingException {
    int length = bytes.getInt();
    if (length < 0 || length > bytes.remaining()) {
      throw new BufferUnderflowException();
    }
    ByteBuffer text = bytes.slice(bytes.position(), length);
    bytes.position(bytes.position() + length);
    return StandardCharsets.UTF_8.newDecoder().decode(text).toString();
  }
}
