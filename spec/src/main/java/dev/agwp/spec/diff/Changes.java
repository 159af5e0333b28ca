package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Gathers changes; one that is met on several ways is told once. */
final class Changes {
  private final Set<Change> found = new LinkedHashSet<>();

  void add(Rule rule, String place, String before, String after) {
    found.add(new Change(rule, place, before, after));
  }

  void added(Rule rule, String place, String after) {
    add(rule, place, "", after);
  }

  void removed(Rule rule, String place, String before) {
    add(rule, place, before, "");
  }

  void changed(Rule rule, String place, JsonNode before, JsonNode after) {
    if (!before.equals(after)) {
      add(rule, place, text(before), text(after));
    }
  }

  /** Breaking ones first, else in the order of the contract. */
  List<Change> list() {
    List<Change> ordered = new ArrayList<>(found.stream().filter(change -> change.rule().isBreaking()).toList());
    found.stream().filter(change -> !change.rule().isBreaking()).forEach(ordered::add);
    return ordered;
  }

  static String text(JsonNode node) {
    String text = node.isMissingNode() ? "" : node.isTextual() ? node.asText() : node.toString();
    return text.strip().replaceAll("\\s+", " ");
  }
}
