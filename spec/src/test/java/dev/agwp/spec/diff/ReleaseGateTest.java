package dev.agwp.spec.diff;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.agwp.spec.Contract;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The gate: a breaking change against any released contract does not land, unless it was accepted by name. */
final class ReleaseGateTest {
  private static final Change A_BREAK = new Change(Rule.REQUEST_PROPERTY_REMOVED, "FailJobRequest.reason", "string", "");
  private static final String ACCEPTED = """
      - rule: request-property-removed
        place: FailJobRequest.reason
        version: 2.0.0
        justification: Nobody ever sent it, as two years of request logs show.
      """;

  @Test
  void the_working_contract_breaks_no_released_one() throws IOException {
    Contract now = Contract.load();
    AcceptedBreaks accepted = AcceptedBreaks.parse(Files.readString(Path.of("accepted-breaks.yaml")));
    List<Path> releases = WorkingContractDiff.releases(Path.of("released"));
    assertThat(releases).isNotEmpty();
    for (Path release : releases) {
      List<Change> changes = ContractDiff.between(Contract.parse(Files.readString(release.resolve("openapi.yaml"))), now);
      assertThat(accepted.notAccepted(changes, now.version())).as("against " + release).isEmpty();
    }
  }

  @Test
  void a_break_passes_only_by_its_rule_its_place_and_its_version() {
    AcceptedBreaks accepted = AcceptedBreaks.parse(ACCEPTED);

    assertThat(accepted.notAccepted(List.of(A_BREAK), "2.0.0")).isEmpty();
    assertThat(accepted.notAccepted(List.of(A_BREAK), "2.0.1")).containsExactly(A_BREAK);
    Change elsewhere = new Change(Rule.REQUEST_PROPERTY_REMOVED, "FailJobRequest.message", "string", "");
    assertThat(accepted.notAccepted(List.of(elsewhere), "2.0.0")).containsExactly(elsewhere);
    Change other = new Change(Rule.FIELD_NUMBER_REUSED, "FailJobRequest.reason", "", "2");
    assertThat(accepted.notAccepted(List.of(other), "2.0.0")).containsExactly(other);
    assertThat(AcceptedBreaks.parse("").notAccepted(List.of(A_BREAK), "2.0.0")).containsExactly(A_BREAK);
    assertThat(AcceptedBreaks.none().notAccepted(List.of(new Change(Rule.OPERATION_ADDED, "x", "", "y")), "2.0.0")).isEmpty();
  }

  @Test
  void an_entry_that_is_not_whole_is_refused_with_what_to_write() {
    assertThatThrownBy(() -> AcceptedBreaks.parse(ACCEPTED.replace("version: 2.0.0", "version: ''"))).hasMessageContaining("entry 1 has no version");
    assertThatThrownBy(() -> AcceptedBreaks.parse(ACCEPTED.replace("place:", "where:"))).hasMessageContaining("entry 1 has no place");
    assertThatThrownBy(() -> AcceptedBreaks.parse(ACCEPTED + "  until: 3.0.0\n")).hasMessageContaining("unknown field until");
    assertThatThrownBy(() -> AcceptedBreaks.parse(ACCEPTED.replace("request-property-removed", "request-property-added")))
        .hasMessageContaining("no rule that breaks anybody");
    assertThatThrownBy(() -> AcceptedBreaks.parse(ACCEPTED.replaceAll("justification: .*", "justification: because")))
        .hasMessageContaining("who is hurt");
    assertThatThrownBy(() -> AcceptedBreaks.parse("rule: x")).hasMessageContaining("write a list");
    assertThatThrownBy(() -> AcceptedBreaks.parse("a: [")).hasMessageContaining("not YAML");
  }
}
