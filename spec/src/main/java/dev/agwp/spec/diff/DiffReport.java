package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.spec.Contract;
import java.util.List;
import java.util.stream.Collectors;

/** The changes between two contracts, written for people (table, HTML) and for programs (JSON). */
public final class DiffReport {
  private static final ObjectMapper JSON = new ObjectMapper();
  /** Of a table's column; the other forms tell all. */
  private static final int TEXT_CHARS_MAX = 40;

  private final String title;
  private final Contract before;
  private final Contract after;
  private final List<Change> changes;

  public DiffReport(Contract before, Contract after) {
    this.before = before;
    this.after = after;
    this.changes = ContractDiff.between(before, after);
    title = after.document().at("/info/title").asText("The contract");
  }

  public List<Change> changes() {
    return changes;
  }

  /** One line a change, breaking ones first; columns as wide as they must be. */
  public String table() {
    if (changes.isEmpty()) {
      return "No difference between " + before.version() + " and " + after.version() + ".\n";
    }
    int rules = width(changes.stream().map(change -> change.rule().id()).toList());
    int places = width(changes.stream().map(Change::place).toList());
    int breaks = width(changes.stream().map(DiffReport::breaks).toList());
    StringBuilder table = new StringBuilder(summary()).append("\n\n");
    for (Change change : changes) {
      // A name may hold what would look like a line of its own, or move a terminal's cursor.
      table.append(String.format("%-" + breaks + "s  %-" + rules + "s  %-" + places + "s  %s", breaks(change), change.rule().id(),
          change.place(), whatChanged(change)).replaceAll("\\p{Cntrl}", "?")).append("\n");
    }
    List<Rule> broken = changes.stream().map(Change::rule).filter(Rule::isBreaking).distinct().toList();
    for (Rule rule : broken) {
      table.append("\n").append(rule.id()).append(": ").append(rule.reason()).append(".");
    }
    return table.append(broken.isEmpty() ? "" : "\n").toString();
  }

  public String json() {
    ObjectNode report = JSON.createObjectNode()
        .put("before", before.version())
        .put("after", after.version())
        .put("breaking", breaking());
    ArrayNode list = report.putArray("changes");
    for (Change change : changes) {
      ObjectNode node = list.addObject()
          .put("rule", change.rule().id())
          .put("breaking", change.rule().isBreaking());
      ArrayNode whom = node.putArray("breaks");
      change.rule().breaks().forEach(each -> whom.add(each.toString()));
      node.put("place", change.place())
          .put("before", change.before())
          .put("after", change.after())
          .put("reason", change.rule().reason());
    }
    return report.toPrettyString() + "\n";
  }

  /** One page that needs nothing else. */
  public String html() {
    StringBuilder page = new StringBuilder("<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>")
        .append(escaped(title + " " + before.version() + " → " + after.version()))
        .append("</title>\n<style>body{font:16px/1.5 sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}"
            + "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;"
            + "border-bottom:1px solid #ccc}code{font-size:.9em}.breaks{color:#a00;font-weight:bold}del{color:#a00}ins{color:#060;"
            + "text-decoration:none}</style>\n<h1>")
        .append(escaped(title)).append(" ").append(escaped(before.version())).append(" → ").append(escaped(after.version()))
        .append("</h1>\n<p>").append(escaped(summary())).append("</p>\n");
    section(page, "Breaking changes", changes.stream().filter(change -> change.rule().isBreaking()).toList());
    section(page, "Compatible changes",
        changes.stream().filter(change -> !change.rule().isBreaking() && change.rule() != Rule.DESCRIPTION_CHANGED).toList());
    section(page, "Words only", changes.stream().filter(change -> change.rule() == Rule.DESCRIPTION_CHANGED).toList());
    return page.append("</html>\n").toString();
  }

  private static void section(StringBuilder page, String heading, List<Change> changes) {
    if (changes.isEmpty()) {
      return;
    }
    page.append("<h2>").append(heading).append("</h2>\n<table>\n<tr><th>Where<th>What<th>Before<th>After<th>Breaks<th>Why</tr>\n");
    for (Change change : changes) {
      page.append("<tr><td><code>").append(escaped(change.place())).append("</code><td>").append(change.rule().id().replace('-', ' '))
          .append("<td><del>").append(escaped(change.before())).append("</del><td><ins>").append(escaped(change.after()))
          .append("</ins><td class=\"breaks\">").append(change.rule().isBreaking() ? breaks(change) : "")
          .append("<td>").append(escaped(change.rule().reason())).append("</tr>\n");
    }
    page.append("</table>\n");
  }

  private String summary() {
    long breaking = breaking();
    return before.version() + " → " + after.version() + ": " + changes.size() + (changes.size() == 1 ? " change, " : " changes, ")
        + (breaking == 0 ? "none" : String.valueOf(breaking)) + " of them breaking.";
  }

  private long breaking() {
    return changes.stream().filter(change -> change.rule().isBreaking()).count();
  }

  private static String breaks(Change change) {
    return change.rule().isBreaking()
        ? "breaks " + change.rule().breaks().stream().map(Breaks::toString).collect(Collectors.joining(", ")) : "compatible";
  }

  private static String whatChanged(Change change) {
    if (change.before().isEmpty()) {
      return "+ " + shortened(change.after());
    }
    if (change.after().isEmpty()) {
      return "- " + shortened(change.before());
    }
    int same = beforeTheDifference(change.before(), change.after());
    return shortenedFrom(same, change.before()) + " → " + shortenedFrom(same, change.after());
  }

  /** How much to leave out at the beginning of two long texts, so that the table shows where they differ. */
  private static int beforeTheDifference(String before, String after) {
    int same = 0;
    while (same < Math.min(before.length(), after.length()) && before.charAt(same) == after.charAt(same)) {
      same++;
    }
    return same < TEXT_CHARS_MAX / 2 ? 0 : same - TEXT_CHARS_MAX / 4;
  }

  private static String shortenedFrom(int start, String text) {
    return start == 0 || text.length() <= TEXT_CHARS_MAX ? shortened(text) : "…" + shortened(text.substring(start));
  }

  private static String shortened(String text) {
    return text.length() <= TEXT_CHARS_MAX ? text : text.substring(0, TEXT_CHARS_MAX) + "…";
  }

  private static int width(List<String> texts) {
    return texts.stream().mapToInt(String::length).max().orElse(1);
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
  }
}
