package dev.agwp.server.http;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.databind.DeserializationContext;
import com.fasterxml.jackson.databind.deser.std.StdScalarDeserializer;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.regex.Pattern;

/**
 * Reads a whole number and nothing that only looks like one.
 *
 * <p>Jackson reads 1.9 as 1 and "" as null: a malformed number must never turn into another number or into "not given". A
 * 64-bit number may also be a decimal string, since that is how ProtoJSON writes it.
 */
final class StrictWholeNumber extends StdScalarDeserializer<Number> {
  private static final Pattern DECIMAL_STRING = Pattern.compile("0|-?[1-9][0-9]{0,18}");
  // More digits than any 64-bit number has; also keeps 1e1000000000 from being written out.
  private static final int DIGITS_MAX = 20;

  private final boolean wide;

  private StrictWholeNumber(Class<? extends Number> type, boolean wide) {
    super(type);
    this.wide = wide;
  }

  @SuppressWarnings("unchecked")
  static <T extends Number> com.fasterxml.jackson.databind.JsonDeserializer<T> int32() {
    return (com.fasterxml.jackson.databind.JsonDeserializer<T>) (Object) new StrictWholeNumber(Integer.class, false);
  }

  @SuppressWarnings("unchecked")
  static <T extends Number> com.fasterxml.jackson.databind.JsonDeserializer<T> int64() {
    return (com.fasterxml.jackson.databind.JsonDeserializer<T>) (Object) new StrictWholeNumber(Long.class, true);
  }

  @Override
  public Number deserialize(JsonParser parser, DeserializationContext context) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> whole(parser.getDecimalValue(), context);
      case VALUE_STRING -> {
        String text = parser.getText();
        if (!wide || !DECIMAL_STRING.matcher(text).matches()) {
          throw refused(context, text);
        }
        yield whole(new BigDecimal(text), context);
      }
      default -> throw refused(context, parser.getText());
    };
  }

  private Number whole(BigDecimal value, DeserializationContext context) throws IOException {
    if (value.signum() != 0 && value.precision() - value.scale() > DIGITS_MAX) {
      throw refused(context, value);
    }
    try {
      return wide ? (Number) value.longValueExact() : (Number) value.intValueExact();
    } catch (ArithmeticException notWholeOrTooLarge) {
      throw refused(context, value);
    }
  }

  private IOException refused(DeserializationContext context, Object value) {
    return context.weirdStringException(String.valueOf(value), _valueClass, "not a whole number in range");
  }
}
