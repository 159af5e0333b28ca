package dev.agwp.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.glassfish.grizzly.Buffer;

/**
 * The head of a request as its bytes come in, looked at before Grizzly parses it. Refused is what Grizzly reads in one way and a proxy
 * before it may read in another (RFC 9112, 11.2): line ends, folded lines, control characters, lengths that contradict each other.
 */
final class RequestHead {
  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";
  private static final int DELETE = 0x7f;
  /** What fits into 63 bits. */
  private static final int LENGTH_DIGITS_MAX = 18;

  enum Found { UNFINISHED, WHOLE, FAULTY }

  private int looked;
  private int lineStart;
  private int lines;
  private boolean needsHost;
  private int hosts;
  private int lengths;
  private int codings;
  private String fault;

  /** Looks at the bytes that are new since the last time; the buffer begins with the head each time. */
  Found look(Buffer bytes) {
    int from = bytes.position();
    for (; from + looked < bytes.limit(); looked++) {
      if (looked == Limits.HEAD_BYTES_MAX) {
        return faulty("its first line and headers must be at most " + Limits.HEAD_BYTES_MAX + " bytes");
      }
      byte b = bytes.get(from + looked);
      boolean afterReturn = looked > 0 && bytes.get(from + looked - 1) == '\r';
      if (afterReturn != (b == '\n')) {
        return faulty("each line of its head must end with CR and LF, and hold neither of them");
      }
      if (b < ' ' && b != '\r' && b != '\n' && b != '\t' || b == DELETE) {
        return faulty("its first line and headers must be printable ASCII");
      }
      if (b == '\n') {
        String line = text(bytes, from + lineStart, from + looked - 1);
        lineStart = looked + 1;
        fault = line.isEmpty() && lines > 0 ? faultOfAll() : faultOf(line);
        lines++;
        if (fault != null || line.isEmpty()) {
          return fault == null ? Found.WHOLE : Found.FAULTY;
        }
      }
    }
    return Found.UNFINISHED;
  }

  /** What is wrong with it, for the client. */
  String fault() {
    return fault;
  }

  private Found faulty(String why) {
    fault = why;
    return Found.FAULTY;
  }

  private static String text(Buffer bytes, int from, int to) {
    byte[] line = new byte[to - from];
    for (int i = from; i < to; i++) {
      line[i - from] = bytes.get(i);
    }
    return new String(line, StandardCharsets.US_ASCII);
  }

  private String faultOf(String line) {
    if (lines == 0) {
      return faultOfFirstLine(line);
    }
    return lines > Limits.HEADERS_MAX ? "it must have at most " + Limits.HEADERS_MAX + " headers" : faultOfHeader(line);
  }

  private String faultOfFirstLine(String line) {
    String[] parts = line.split(" ", -1);
    needsHost = line.endsWith(" HTTP/1.1");
    boolean wellFormed = parts.length == 3 && isToken(parts[0]) && !parts[1].isEmpty() && (needsHost || parts[2].equals("HTTP/1.0"));
    return wellFormed ? null : "its first line must be METHOD PATH HTTP/1.1";
  }

  private String faultOfHeader(String line) {
    int colon = line.indexOf(':');
    if (colon < 0 || !isToken(line.substring(0, colon))) {
      return "a header must be NAME: VALUE on one line, without a space before the colon";
    }
    String value = line.substring(colon + 1).strip();
    switch (line.substring(0, colon).toLowerCase(Locale.ROOT)) {
      case "host" -> hosts++;
      case "content-length" -> {
        lengths++;
        if (value.isEmpty() || value.length() > LENGTH_DIGITS_MAX || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
          return "Content-Length must be a whole number";
        }
      }
      case "transfer-encoding" -> {
        codings++;
        if (!value.equalsIgnoreCase("chunked")) {
          return "Transfer-Encoding must be chunked, or absent";
        }
      }
      case "expect" -> {
        if (!value.equalsIgnoreCase("100-continue")) {
          return "Expect must be 100-continue, or absent";
        }
      }
      default -> { }
    }
    return null;
  }

  private String faultOfAll() {
    if (hosts > 1 || hosts == 0 && needsHost) {
      return "it must have one Host";
    }
    return lengths + codings > 1 ? "it must have one Content-Length or one Transfer-Encoding, not both" : null;
  }

  private static boolean isToken(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean letterOrDigit = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
      if (!letterOrDigit && TOKEN_MARKS.indexOf(c) < 0) {
        return false;
      }
    }
    return !text.isEmpty();
  }
}
