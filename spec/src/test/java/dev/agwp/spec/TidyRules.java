package dev.agwp.spec;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The rules of the house that a machine can keep. Each gives the lines of a text that break it. */
final class TidyRules {
  static final int FILE_LINES_MAX = 400;
  static final int METHOD_LINES_MAX = 60;

  /** Not the constants of an enum; at six spaces it is the last line of a head that was too long for one. */
  private static final Pattern METHOD =
      Pattern.compile("^( {2}| {4}| {6})(?! )(?![A-Z_]+\\()[^*/}@\\s].*\\)(?: throws [\\w., ]+)? \\{$");
  private static final Pattern BANNED_NAME = Pattern.compile(
      "\\b(?:class|interface|record|enum) (\\w*(?:Manager|Helper|Utils?|Impl|Dto|DTO)|Abstract\\w*Base\\w*)\\b");
  private static final Pattern SLEEP = Pattern.compile("Thread\\s*\\.\\s*" + "sleep");
  private static final Pattern CATCH_ALL = Pattern.compile("catch \\((?:final )?(?:Exception|Throwable|RuntimeException) \\w+\\)");
  private static final Pattern LATER = Pattern.compile("\\b(?:TO" + "DO|FIX" + "ME)\\b(?! #\\d)");
  private static final Pattern DISABLED = Pattern.compile("@" + "Disabled|@" + "RepeatedTest");
  private static final Pattern CLOCK = Pattern.compile(
      "System\\.currentTimeMillis|\\b(?:Instant|OffsetDateTime|LocalDateTime|ZonedDateTime)\\.now\\(|new Date\\(|Clock\\.system");
  private static final Pattern SQL = Pattern.compile(
      "(?i)\"\\s*(?:select .+ from |insert into |update \\w+\\s+set |delete from |create table )");
  private static final Pattern CAREFREE_SQL = Pattern.compile("(?i)select \\*|\\$\\{");
  private static final Pattern SELECT_STATEMENT = Pattern.compile("<select ([^>]*)>(.*?)</select>", Pattern.DOTALL);
  private static final Pattern WRITES = Pattern.compile("(?m)^\\s*(?:update \\w+|insert into|delete from)");
  private static final Pattern MACHINE_PATH = Pattern.compile("(?<![\\w./-])/(?:ro" + "ot|ho" + "me|wo" + "rk|t" + "mp)/\\w");
  private static final Pattern REGISTRY = Pattern.compile(
      "https?://[\\w.-]*(?:repo\\.maven|repo1\\.maven|npm" + "js|py" + "pi|proxy\\.golang|crates|deb" + "ian)[\\w.-]*");

  private TidyRules() {}

  static List<String> tooLong(String java) {
    List<String> broken = new ArrayList<>();
    List<String> lines = java.lines().toList();
    if (lines.size() > FILE_LINES_MAX) {
      broken.add("file of " + lines.size() + " lines");
    }
    for (int i = 0; i < lines.size(); i++) {
      Matcher method = METHOD.matcher(lines.get(i));
      if (method.matches()) {
        String closing = (method.group(1).length() == 6 ? "  " : method.group(1)) + "}";
        int end = i;
        while (end < lines.size() - 1 && !lines.get(end).equals(closing)) {
          end++;
        }
        if (end - i + 1 > METHOD_LINES_MAX) {
          broken.add((i + 1) + ": method of " + (end - i + 1) + " lines");
        }
      }
    }
    return broken;
  }

  static List<String> bannedNames(String java) {
    return matching(java, BANNED_NAME);
  }

  static List<String> sleeps(String java) {
    return matching(java, SLEEP);
  }

  static List<String> catchesEverything(String java) {
    return matching(java, CATCH_ALL);
  }

  static List<String> unfinished(String text) {
    List<String> broken = matching(text, LATER);
    broken.addAll(matching(text, DISABLED));
    return broken;
  }

  static List<String> clocks(String java) {
    return matching(java, CLOCK);
  }

  static List<String> sqlInJava(String java) {
    return matching(java, SQL);
  }

  static List<String> carefreeSql(String mapper) {
    return matching(mapper, CAREFREE_SQL);
  }

  /** MyBatis takes a select for a read: without these the session does not know that it wrote, and may answer from its cache. */
  static List<String> selectsThatHideTheirWriting(String mapper) {
    List<String> broken = new ArrayList<>();
    Matcher statement = SELECT_STATEMENT.matcher(mapper);
    while (statement.find()) {
      boolean says = statement.group(1).contains("affectData=\"true\"") && statement.group(1).contains("flushCache=\"true\"");
      if (WRITES.matcher(statement.group(2)).find() && !says) {
        broken.add(statement.group(1));
      }
    }
    return broken;
  }

  static List<String> placesOfOneMachine(String text) {
    List<String> broken = matching(text, MACHINE_PATH);
    broken.addAll(matching(text, REGISTRY));
    return broken;
  }

  private static List<String> matching(String text, Pattern pattern) {
    List<String> broken = new ArrayList<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (pattern.matcher(line).find()) {
        broken.add(number + ": " + line.strip());
      }
    }
    return broken;
  }
}
