package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Breaking changes that were accepted on purpose, each with its rule, place, version and justification. */
public final class AcceptedBreaks {
  private static final Set<String> FIELDS = Set.of("rule", "place", "version", "justification");
  private static final int JUSTIFICATION_CHARS_MIN = 20;

  private final List<Entry> entries;

  private AcceptedBreaks(List<Entry> entries) {
    this.entries = entries;
  }

  private record Entry(String rule, String place, String version) {}

  public static AcceptedBreaks none() {
    return new AcceptedBreaks(List.of());
  }

  /** @throws IllegalArgumentException when the text is no list of entries, or an entry is not whole; it says which and what to write */
  public static AcceptedBreaks parse(String yaml) {
    JsonNode list;
    try {
      list = new YAMLMapper().readTree(yaml);
    } catch (IOException malformed) {
      throw new IllegalArgumentException("not YAML: " + malformed.getMessage(), malformed);
    }
    if (list.isMissingNode() || list.isNull() || list.isArray() && list.isEmpty()) {
      return none();
    }
    if (!list.isArray()) {
      throw new IllegalArgumentException("write a list of entries with rule, place, version and justification");
    }
    List<Entry> entries = new ArrayList<>();
    list.forEach(entry -> entries.add(entry(entries.size() + 1, entry)));
    return new AcceptedBreaks(entries);
  }

  private static Entry entry(int number, JsonNode entry) {
    for (String field : FIELDS) {
      if (entry.path(field).asText().isBlank()) {
        throw new IllegalArgumentException("entry " + number + " has no " + field);
      }
    }
    entry.fieldNames().forEachRemaining(field -> {
      if (!FIELDS.contains(field)) {
        throw new IllegalArgumentException("entry " + number + " has an unknown field " + field);
      }
    });
    if (entry.get("justification").asText().strip().length() < JUSTIFICATION_CHARS_MIN) {
      throw new IllegalArgumentException("entry " + number + ": say in the justification who is hurt and why that is right");
    }
    String rule = entry.get("rule").asText();
    for (Rule known : Rule.values()) {
      if (known.id().equals(rule) && known.isBreaking()) {
        return new Entry(rule, entry.get("place").asText(), entry.get("version").asText());
      }
    }
    throw new IllegalArgumentException("entry " + number + ": " + rule + " is no rule that breaks anybody");
  }

  /** The changes that break somebody and were not accepted for this version of the contract. */
  public List<Change> notAccepted(List<Change> changes, String version) {
    return changes.stream()
        .filter(change -> change.rule().isBreaking())
        .filter(change -> !entries.contains(new Entry(change.rule().id(), change.place(), version)))
        .toList();
  }
}
