package dev.agwp.spec;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract keeps its own conventions, which Spectral, a linter many reviewers know, reads from {@code lint/.spectral.yaml}. */
final class LintTest {
  private static final Path RULESET = Path.of("lint", ".spectral.yaml");

  @TempDir
  private Path folder;

  /**
   * Something Spectral found.
   *
   * @param place a JSON pointer
   */
  private record Finding(String rule, String place) {}

  @Test
  void the_contract_lints_clean() throws IOException {
    assertThat(lint(Path.of("openapi.yaml"))).isEmpty();
  }

  /** All faults are made in one contract, since a run takes seconds. */
  @Test
  void every_fault_is_found_by_its_own_rule_alone() throws IOException {
    ObjectNode broken = Contract.load().document().deepCopy();
    LintFaults.all().forEach(fault -> fault.make().accept(broken));
    Path file = Files.writeString(folder.resolve("openapi.json"), broken.toString());

    assertThat(lint(file).stream().map(LintTest::dueTo).collect(toSet()))
        .containsExactlyInAnyOrderElementsOf(LintFaults.all().stream().map(fault -> new Finding(fault.rule(), fault.place())).toList());
  }

  @Test
  void every_rule_has_a_fault_that_shows_it_at_work() throws IOException {
    Set<String> rules = Contract.parse(Files.readString(RULESET)).document().get("rules").properties().stream()
        .filter(rule -> !rule.getValue().asText().equals("off"))
        .map(Map.Entry::getKey)
        .collect(toSet());

    assertThat(LintFaults.all().stream().map(LintFaults.Fault::rule).collect(toSet())).isEqualTo(rules);
  }

  @Test
  void every_rule_says_why_it_is_and_what_to_do() throws IOException {
    Contract.parse(Files.readString(RULESET)).document().get("rules").properties().forEach(rule -> {
      if (rule.getValue().isObject()) {
        assertThat(rule.getValue().path("description").asText()).as(rule.getKey()).endsWith(".");
        assertThat(rule.getValue().path("message").asText()).as(rule.getKey()).endsWith(".");
        assertThat(rule.getValue().path("severity").asText()).as(rule.getKey()).isEqualTo("error");
      }
    });
  }

  /** The finding at the place of the fault it is due to; as it is when it is due to none. */
  private static Finding dueTo(Finding finding) {
    return LintFaults.all().stream().filter(fault -> fault.isAt(finding.place())).findFirst()
        .map(fault -> new Finding(finding.rule(), fault.place())).orElse(finding);
  }

  private static List<Finding> lint(Path file) throws IOException {
    String output = Tool.run(Path.of("."), List.of(Tool.ofNode("spectral").toString(), "lint", "--ruleset", RULESET.toString(),
        "--quiet", "--format", "json", file.toString())).output();
    List<Finding> findings = new ArrayList<>();
    for (JsonNode result : new ObjectMapper().readTree(output)) {
      StringBuilder place = new StringBuilder();
      result.get("path").forEach(key -> place.append('/').append(key.asText().replace("~", "~0").replace("/", "~1")));
      findings.add(new Finding(result.get("code").asText(), place.toString()));
    }
    return findings;
  }
}
