package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a page of a list ended, wrapped so that callers do not build on what it holds. */
public final class PageToken {
  private static final Pattern OURS = Pattern.compile("[A-Za-z0-9._:-]+");

  /** As many digits as are no number too large. */
  private static final Pattern NUMBERED = Pattern.compile("(?<list>[a-z]*:?)(?<number>[1-9][0-9]{0,17})");

  private PageToken() {}

  public static String of(String last) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(last.getBytes(StandardCharsets.UTF_8));
  }

  /** @throws ApiException {@code invalid_argument} when this is no token of ours */
  public static String read(String token) {
    String last;
    try {
      last = new String(Base64.getUrlDecoder().decode(token), StandardCharsets.US_ASCII);
    } catch (IllegalArgumentException notBase64) {
      throw refused();
    }
    if (!OURS.matcher(last).matches()) {
      throw refused();
    }
    return last;
  }

  /**
   * @param list that was paged, as {@link Page#of} was told
   * @throws ApiException {@code invalid_argument} when this is no token of ours, or one of another list
   */
  public static long readNumber(String token, String list) {
    String last = read(token);
    Matcher numbered = NUMBERED.matcher(last);
    if (!numbered.matches() || !numbered.group("list").equals(list)) {
      throw refused();
    }
    return Long.parseLong(numbered.group("number"));
  }

  private static ApiException refused() {
    return new ApiException(INVALID_ARGUMENT, "page_token must be the next_page_token of the page before").at("page_token");
  }
}
