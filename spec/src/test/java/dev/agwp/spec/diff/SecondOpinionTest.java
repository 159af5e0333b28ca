package dev.agwp.spec.diff;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.agwp.spec.Contract;
import dev.agwp.spec.Tool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openapitools.openapidiff.core.OpenApiCompare;

/**
 * Two well-known tools judge every change that ours lets pass: where one of them sees a break, ours must see it too, or the reason why
 * not stands here.
 */
final class SecondOpinionTest {
  private static final Map<String, String> REDOCLY_IS_STRICTER = Map.of(
      "a format is widened", "int64 holds every int32, and JSON writes both alike");
  private static final Map<String, String> OPENAPI_DIFF_IS_STRICTER = Map.of(
      "a format is widened", "int64 holds every int32, and JSON writes both alike",
      "a request body becomes optional", "callers that send one go on",
      "a pattern is removed", "what matched is still taken",
      "another type may be sent too", "it reads documents of 3.0, where a type is no list",
      "an answer is always one of its types", "it reads documents of 3.0, where a type is no list",
      "credentials are no longer required", "callers that send them go on");

  @TempDir
  private Path folder;

  @Test
  void what_redocly_calls_breaking_ours_does_too() throws IOException {
    Path redocly = Tool.ofNode("redocly");
    assertSeen((before, after) -> redoclySeesABreak(redocly, before, after), REDOCLY_IS_STRICTER);
  }

  @Test
  void what_openapi_diff_calls_breaking_ours_does_too() {
    assertSeen(SecondOpinionTest::openApiDiffSeesABreak, OPENAPI_DIFF_IS_STRICTER);
  }

  @Test
  void the_page_says_what_openapi_diff_sees_of_the_sixty_changes() {
    assertThat(SixtyChanges.ofThePage())
        .allSatisfy(row -> assertThat(openApiDiffSeesABreak(row.mutation().before(), row.mutation().after())).isEqualTo(row.seenByOpenApiDiff()));
  }

  private static void assertSeen(BiPredicate<Contract, Contract> seesABreak, Map<String, String> stricter) {
    Mutation removed = BreakingMutations.all().stream().filter(each -> each.rule() == Rule.OPERATION_REMOVED).findFirst().orElseThrow();
    assertThat(seesABreak.test(removed.before(), removed.after())).as("it works at all").isTrue();

    // Each is a process of its own for one of the tools.
    List<String> more = CompatibleMutations.all().parallelStream()
        .filter(mutation -> seesABreak.test(mutation.before(), mutation.after()))
        .map(Mutation::name)
        .toList();

    assertThat(more).containsExactlyInAnyOrderElementsOf(stricter.keySet());
  }

  private static boolean openApiDiffSeesABreak(Contract before, Contract after) {
    return OpenApiCompare.fromContents(before.yaml(), after.yaml()).isIncompatible();
  }

  private boolean redoclySeesABreak(Path redocly, Contract before, Contract after) {
    try {
      Path old = Files.writeString(Files.createTempFile(folder, "before", ".yaml"), before.yaml());
      Path now = Files.writeString(Files.createTempFile(folder, "after", ".yaml"), after.yaml());
      String output = Tool.run(folder, List.of(redocly.toString(), "diff", old.toString(), now.toString(), "--format", "json")).output();
      // Words of the program may stand before its report.
      JsonNode report = new ObjectMapper().readTree(output.substring(output.indexOf('{')));
      return report.at("/summary/major").asInt() > 0;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
