package dev.agwp.server.http;

import java.util.List;

/** Names that are allowed: each pattern is a name in which {@code *} stands for any run of characters. */
public record NamePatterns(List<String> patterns) {
  private static final String EVERYTHING = "*";

  /** Every name. */
  public static final NamePatterns ALL = new NamePatterns(List.of(EVERYTHING));

  public boolean areAll() {
    return patterns.contains(EVERYTHING);
  }

  public boolean allow(String name) {
    return areAll() || patterns.stream().anyMatch(pattern -> matches(pattern, name));
  }

  // Not a regular expression, whose time could grow with the power of the stars. Each part is taken where it comes first.
  private static boolean matches(String pattern, String name) {
    String[] parts = pattern.split("\\*", -1);
    if (parts.length == 1) {
      return pattern.equals(name);
    }
    if (!name.startsWith(parts[0])) {
      return false;
    }
    int at = parts[0].length();
    for (int i = 1; i < parts.length - 1; i++) {
      int found = name.indexOf(parts[i], at);
      if (found < 0) {
        return false;
      }
      at = found + parts[i].length();
    }
    String last = parts[parts.length - 1];
    return name.length() - last.length() >= at && name.endsWith(last);
  }

  @Override
  public String toString() {
    return String.join(", ", patterns);
  }
}
