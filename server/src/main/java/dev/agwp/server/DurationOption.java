package dev.agwp.server;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** A duration as an option says it, such as {@code 90d}. */
final class DurationOption implements ITypeConverter<Duration> {
  private static final Pattern FORM = Pattern.compile("([1-9][0-9]{0,7})([smhd])");
  private static final Duration MAX = Duration.ofDays(3650);

  @Override
  public Duration convert(String text) {
    Matcher form = FORM.matcher(text);
    if (form.matches()) {
      long count = Long.parseLong(form.group(1));
      Duration duration = switch (form.group(2)) {
        case "s" -> Duration.ofSeconds(count);
        case "m" -> Duration.ofMinutes(count);
        case "h" -> Duration.ofHours(count);
        default -> Duration.ofDays(count);
      };
      if (duration.compareTo(MAX) <= 0) {
        return duration;
      }
    }
    throw new TypeConversionException("must be a whole number and s, m, h or d, such as 90d, and at most 3650d; got " + text);
  }
}
