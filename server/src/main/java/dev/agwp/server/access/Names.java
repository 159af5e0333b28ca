package dev.agwp.server.access;

import java.util.regex.Pattern;

/** What principals and patterns are written with, whether an operator or an issuer writes them. */
public final class Names {
  /** Without the bar, which parts a principal from its worker's label, and without whatever a log or a metric could be forged with. */
  public static final String PRINCIPAL_RULE = "1 to 128 characters of A-Z a-z 0-9 . _ : @ / -";
  public static final String QUEUE_PATTERN_RULE = "1 to 128 characters of A-Z a-z 0-9 . _ : - and at most 4 *, which stand for any run of them";

  private static final Pattern PRINCIPAL = Pattern.compile("[A-Za-z0-9._:@/-]{1,128}");
  private static final Pattern QUEUE_PATTERN = Pattern.compile("[A-Za-z0-9._:*-]{1,128}");
  private static final int STARS_MAX = 4;

  private Names() {}

  public static boolean isPrincipal(String name) {
    return PRINCIPAL.matcher(name).matches();
  }

  public static boolean isQueuePattern(String pattern) {
    return QUEUE_PATTERN.matcher(pattern).matches() && pattern.chars().filter(c -> c == '*').count() <= STARS_MAX;
  }
}
