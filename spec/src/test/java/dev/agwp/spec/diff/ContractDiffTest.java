package dev.agwp.spec.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.spec.Contract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A broken variant of the contract for every rule, each caught; and additive ones, each let pass. */
final class ContractDiffTest {

  static List<Mutation> breaking() {
    return BreakingMutations.all();
  }

  static List<Mutation> compatible() {
    return CompatibleMutations.all();
  }

  @ParameterizedTest
  @MethodSource("breaking")
  void a_change_that_breaks_somebody_is_caught(Mutation mutation) {
    assertThat(mutation.rule().isBreaking()).isTrue();
    assertThat(mutation.found()).extracting(Change::rule).contains(mutation.rule());
  }

  @ParameterizedTest
  @MethodSource("compatible")
  void a_change_that_breaks_nobody_passes(Mutation mutation) {
    List<Change> found = mutation.found();

    assertThat(found).filteredOn(change -> change.rule().isBreaking()).isEmpty();
    // Told wherever it shows, and nothing else.
    assertThat(found.stream().map(Change::rule).distinct()).isEqualTo(mutation.rule() == null ? List.of() : List.of(mutation.rule()));
  }

  @Test
  void every_rule_is_shown_at_work() {
    Set<Rule> shown = Stream.concat(breaking().stream(), compatible().stream()).map(Mutation::rule).collect(Collectors.toSet());

    assertThat(Arrays.stream(Rule.values()).filter(rule -> !shown.contains(rule))).isEmpty();
    assertThat(compatible()).hasSizeGreaterThanOrEqualTo(20);
  }

  @Test
  void every_one_of_the_sixty_changes_is_judged_as_the_page_says() {
    List<SixtyChanges.Row> rows = SixtyChanges.ofThePage();

    assertThat(rows).extracting(SixtyChanges.Row::number).isEqualTo(IntStream.rangeClosed(1, 60).boxed().toList());
    assertThat(rows).filteredOn(SixtyChanges.Row::breaks).hasSize(45);
    for (SixtyChanges.Row row : rows) {
      assertThat(row.mutation().found()).as(row.change()).filteredOn(change -> change.rule().isBreaking())
          .matches(breaks -> breaks.isEmpty() != row.breaks());
    }
  }

  @Test
  void the_page_of_the_gate_lists_every_rule() throws IOException {
    String page = Files.readString(Path.of("contract-diff.md"));
    for (Rule rule : Rule.values()) {
      String breaks = rule.breaks().stream().map(Breaks::toString).collect(Collectors.joining(", "));
      assertThat(page).contains("| `" + rule.id() + "` | " + (rule.isBreaking() ? breaks : "nobody") + " | " + rule.reason() + " |");
    }
    assertThat(page.lines().filter(line -> line.startsWith("| `"))).hasSize(Rule.values().length);
  }

  @Test
  void a_change_inside_a_schema_that_is_used_both_ways_is_judged_in_each() {
    Mutation mutation = new Mutation("", null, d -> Mutation.properties(d, "Job").putObject("verdict").put("$ref", "#/components/schemas/JobOutcome"),
        d -> Mutation.schema(d, "JobOutcome").putArray("enum").add("passed").add("skipped"));

    assertThat(mutation.found()).extracting(Change::rule).containsExactlyInAnyOrder(Rule.REQUEST_ENUM_VALUE_REMOVED,
        Rule.REQUEST_ENUM_VALUE_ADDED, Rule.RESPONSE_ENUM_VALUE_ADDED, Rule.RESPONSE_ENUM_VALUE_REMOVED);
  }

  @Test
  void a_schema_that_contains_itself_is_compared_once() {
    Mutation mutation = new Mutation("", null,
        d -> Mutation.properties(d, "Job").putObject("parent").put("$ref", "#/components/schemas/Job"),
        d -> Mutation.property(d, "Job", "summary").put("type", "integer"));

    assertThat(mutation.found()).extracting(Change::place).containsExactly("Job.summary");
  }

  @Test
  void a_schema_that_contains_itself_by_way_of_all_of_ends_too() {
    Mutation mutation = new Mutation("", null, d -> {
      var parent = Mutation.properties(d, "Job").putObject("parent").putArray("allOf");
      parent.addObject().put("$ref", "#/components/schemas/Job");
      parent.addObject().put("description", "Where it came from.");
    }, d -> Mutation.property(d, "Job", "summary").put("type", "integer"));

    assertThat(mutation.found()).extracting(Change::rule).contains(Rule.RESPONSE_TYPE_CHANGED);
  }

  @Test
  void schemas_that_double_at_each_step_take_no_time() {
    Mutation mutation = new Mutation("", null, d -> {
      for (int i = 0; i < 30; i++) {
        var parts = ((ObjectNode) d.at("/components/schemas")).putObject("D" + i).putArray("allOf");
        parts.addObject().put("$ref", "#/components/schemas/D" + (i + 1));
        parts.addObject().put("$ref", "#/components/schemas/D" + (i + 1));
      }
      ((ObjectNode) d.at("/components/schemas")).putObject("D30").put("type", "object");
      Mutation.properties(d, "Job").putObject("doubled").put("$ref", "#/components/schemas/D0");
    }, d -> Mutation.schema(d, "D30").put("type", "string"));

    assertThat(mutation.found()).extracting(Change::rule).contains(Rule.RESPONSE_TYPE_CHANGED);
  }

  @Test
  void a_document_of_3_1_says_null_in_its_own_way() {
    Mutation mutation = new Mutation("", null, d -> {},
        d -> Mutation.property(d, "Job", "summary").putArray("type").add("string").add("null"));

    assertThat(mutation.found()).extracting(Change::rule).containsExactly(Rule.RESPONSE_NULL_ALLOWED);
  }

  @Test
  void a_reference_that_cannot_be_followed_is_told() {
    ObjectNode broken = Mutation.BASE.document().deepCopy();
    ((ObjectNode) Mutation.answers(broken, "claimJob").at("/200/content/application~1json")).putObject("schema")
        .put("$ref", "other.yaml#/Job");

    assertThatThrownBy(() -> ContractDiff.between(Mutation.BASE, Contract.parse(broken.toString())))
        .isInstanceOf(IllegalArgumentException.class).hasMessageContaining("other.yaml#/Job").hasMessageContaining("bundle");
  }
}
