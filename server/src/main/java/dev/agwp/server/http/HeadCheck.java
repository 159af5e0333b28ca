package dev.agwp.server.http;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.glassfish.grizzly.Buffer;

/**
 * Finds in the head of a request what Grizzly reads in one way and a proxy before it may read in another (RFC 9112, 11.2): line ends,
 * folded lines, control characters, lengths that contradict each other.
 */
final class HeadCheck {
  private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";
  private static final int DELETE = 0x7f;

  private final String head;
  private boolean needsHost;
  private int hosts;
  private int lengths;
  private int codings;

  private HeadCheck(String head) {
    this.head = head;
  }

  /** What is wrong, for the caller; null when nothing is. The head reaches from its first byte to the empty line that ends it. */
  static String fault(Buffer bytes, int from, int to) {
    byte[] head = new byte[to - from];
    for (int i = from; i < to; i++) {
      head[i - from] = bytes.get(i);
    }
    return new HeadCheck(new String(head, StandardCharsets.ISO_8859_1)).fault();
  }

  private String fault() {
    String fault = faultOfCharacters();
    int end = head.indexOf("\r\n");
    if (fault == null) {
      fault = faultOfFirstLine(head.substring(0, end));
    }
    int start = end + 2;
    while (fault == null && !head.startsWith("\r\n", start)) {
      end = head.indexOf("\r\n", start);
      fault = faultOfHeader(head.substring(start, end));
      start = end + 2;
    }
    return fault == null ? faultOfAll() : fault;
  }

  private String faultOfCharacters() {
    for (int i = 0; i < head.length(); i++) {
      char c = head.charAt(i);
      if (c == '\r' && !head.startsWith("\n", i + 1) || c == '\n' && (i == 0 || head.charAt(i - 1) != '\r')) {
        return "a line must end with CR and LF, and hold neither of them";
      }
      if (c < ' ' && c != '\r' && c != '\n' && c != '\t' || c >= DELETE) {
        return "headers must be printable ASCII";
      }
    }
    return null;
  }

  private String faultOfFirstLine(String line) {
    String[] parts = line.split(" ", -1);
    needsHost = line.endsWith(" HTTP/1.1");
    boolean wellFormed = parts.length == 3 && isToken(parts[0]) && !parts[1].isEmpty() && (needsHost || parts[2].equals("HTTP/1.0"));
    return wellFormed ? null : "the first line must be METHOD PATH HTTP/1.1";
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
        if (value.isEmpty() || !value.chars().allMatch(c -> c >= '0' && c <= '9')) {
          return "Content-Length must be a whole number";
        }
      }
      case "transfer-encoding" -> {
        codings++;
        if (!value.equalsIgnoreCase("chunked")) {
          return "Transfer-Encoding must be chunked, or absent";
        }
      }
      default -> { }
    }
    return null;
  }

  private String faultOfAll() {
    if (hosts > 1 || hosts == 0 && needsHost) {
      return "there must be one Host";
    }
    return lengths + codings > 1 ? "there must be one Content-Length or one Transfer-Encoding, not both" : null;
  }

  private static boolean isToken(String text) {
    return !text.isEmpty() && text.chars().allMatch(c ->
        c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || TOKEN_MARKS.indexOf(c) >= 0);
  }
}
