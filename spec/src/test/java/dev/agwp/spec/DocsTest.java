package dev.agwp.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The changelog, the decisions and the other pages say what is. */
final class DocsTest {
  private static final Pattern TEST_NAME = Pattern.compile("`([a-z0-9]+(?:_[a-z0-9]+){3,})`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");
  private static final Pattern RELEASE = Pattern.compile("(?m)^## (\\d+\\.\\d+\\.\\d+) - \\d{4}-\\d\\d-\\d\\d$");

  @Test
  void the_newest_entry_of_the_changelog_is_this_release() {
    String changelog = Repository.read(Path.of("spec/CHANGELOG.md"));
    Matcher newest = RELEASE.matcher(changelog);

    assertThat(newest.find()).isTrue();
    assertThat(newest.group(1)).isEqualTo(Contract.load().version());
    assertThat(changelog).contains("### Contract", "### Server", "### SDKs", "### Upgrade notes");
  }

  @Test
  void every_decision_has_its_four_parts_and_is_in_the_index() {
    String index = Repository.read(Path.of("spec/adr/README.md"));
    List<Path> decisions = Repository.files(".md").stream()
        .filter(file -> file.toString().matches("spec/adr/\\d{4}-.*\\.md")).toList();
    assertThat(decisions).isNotEmpty();
    for (Path decision : decisions) {
      assertThat(Repository.read(decision)).as(decision.toString())
          .contains("Status: ", "## Context", "## Decision", "## Consequences");
      assertThat(index).contains("(" + decision.getFileName() + ")");
    }
  }

  @Test
  void every_test_a_page_names_exists() {
    List<String> missing = new ArrayList<>();
    for (Path page : Repository.files(".md")) {
      Matcher name = TEST_NAME.matcher(Repository.read(page));
      while (name.find()) {
        if (!Repository.hasTest(name.group(1)) && !Contract.load().yaml().contains(name.group(1))
            && !isMetricOrCode(name.group(1))) {
          missing.add(page + ": " + name.group(1));
        }
      }
    }
    assertThat(missing).isEmpty();
    assertThat(Repository.hasTest("a_test_that_nobody_has_written")).isFalse();
  }

  @Test
  void every_link_between_pages_leads_somewhere() {
    List<String> broken = new ArrayList<>();
    for (Path page : Repository.files(".md")) {
      Matcher link = LINK.matcher(Repository.read(page));
      while (link.find()) {
        Path target = Repository.ROOT.resolve(page).resolveSibling(link.group(1));
        if (!link.group(1).startsWith("http") && !Files.exists(target)) {
          broken.add(page + " -> " + link.group(1));
        }
      }
    }
    assertThat(broken).isEmpty();
  }

  private static boolean isMetricOrCode(String name) {
    return name.startsWith("agwp_");
  }
}
