package dev.agwp.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The whole repository keeps the rules of the house; each rule is shown a sample that breaks it. */
final class TidyTest {
  /** The places that may catch everything: the worker's loop, where a handler of somebody else runs. */
  private static final Set<String> MAY_CATCH_EVERYTHING = Set.of(
      "sdk-java/src/main/java/dev/agwp/sdk/Worker.java",
      // The source of a token is somebody else's too, and a heartbeat must outlive its failure.
      "sdk-java/src/main/java/dev/agwp/sdk/Bearer.java",
      // The boundary of a waiting request: what fails goes to its answer.
      "server/src/main/java/dev/agwp/server/job/ClaimWaiter.java",
      "server/src/main/java/dev/agwp/server/lease/LeaseWaiters.java",
      // What fails for many callers together is logged, and each goes on alone.
      "server/src/main/java/dev/agwp/server/storage/Coalescer.java",
      // Closes a half-opened pool and throws on.
      "server/src/main/java/dev/agwp/server/storage/Database.java",
      "server/src/main/java/dev/agwp/server/AgwpServer.java");
  private static final Pattern SNIPPET = Pattern.compile("<!-- snippet: (\\S+)#(\\S+) -->\\s*```\\w*\\n(.*?)```", Pattern.DOTALL);
  private static final Pattern TABLE = Pattern.compile("create table (\\w+) \\((.*?)\\n\\)", Pattern.DOTALL);
  private static final Pattern COLUMN = Pattern.compile("(?m)^  (\\w+) ");

  @Test
  void files_and_methods_are_short() {
    assertKept(".java", file -> true, TidyRules::tooLong, "class A {\n  void a() {\n" + "    b();\n".repeat(60) + "  }\n}\n");
  }

  @Test
  void names_say_what_a_thing_is() {
    assertKept(".java", file -> true, TidyRules::bannedNames, "final class Job" + "Manager {");
  }

  @Test
  void nothing_waits_by_sleeping() {
    assertKept(".java", file -> true, TidyRules::sleeps, "Thread" + ".sleep(5);");
  }

  @Test
  void exceptions_are_caught_by_their_narrowest_type() {
    assertKept(".java", file -> !MAY_CATCH_EVERYTHING.contains(file), TidyRules::catchesEverything, "} catch (" + "Exception e) {");
  }

  @Test
  void nothing_is_left_for_later() {
    assertKept(".java", file -> true, TidyRules::unfinished, "// TO" + "DO: later");
  }

  @Test
  void the_servers_own_clock_is_never_asked() {
    assertKept(".java", file -> file.startsWith("server/src/main/"), TidyRules::clocks, "long now = System.currentTimeMillis();");
  }

  @Test
  void sql_stands_in_mapper_files_and_migrations() {
    assertKept(".java", file -> file.contains("/src/main/"), TidyRules::sqlInJava, "String sql = \"select a from job\";");
  }

  @Test
  void statements_name_their_columns_and_bind_their_values() {
    assertKept(".xml", file -> file.contains("/src/main/resources/dev/"), TidyRules::carefreeSql, "select * from job");
  }

  @Test
  void a_select_that_writes_says_so() {
    assertKept("Mapper.xml", file -> true, TidyRules::selectsThatHideTheirWriting, "<select id=\"a\">\n  update job\n</select>");
    assertThat(Repository.read(Path.of("server/src/main/resources/dev/agwp/server/job/JobMapper.xml"))).contains("affectData=\"true\"");
  }

  @Test
  void nothing_names_a_machine_or_a_registry() {
    List<String> broken = new ArrayList<>();
    for (Path file : Repository.files()) {
      String name = file.toString();
      if (!name.endsWith(".pb") && !name.endsWith(".png")) {
        TidyRules.placesOfOneMachine(Repository.read(file)).forEach(line -> broken.add(name + ":" + line));
      }
    }
    assertThat(broken).isEmpty();
    assertThat(TidyRules.placesOfOneMachine("see /ho" + "me/me/file")).isNotEmpty();
    assertThat(TidyRules.placesOfOneMachine("https://registry.npm" + "js.org/x")).isNotEmpty();
  }

  @Test
  void both_databases_have_the_same_migrations_tables_and_columns() {
    assertThat(names(Repository.files(".sql"), "/postgresql/")).isEqualTo(names(Repository.files(".sql"), "/sqlite/")).isNotEmpty();
    assertThat(columns("/postgresql/")).isEqualTo(columns("/sqlite/")).anyMatch(column -> column.equals("job.attempts_used"));
  }

  @Test
  void snippets_in_the_docs_are_cut_from_compiled_code() {
    List<String> broken = new ArrayList<>();
    for (Path doc : Repository.files(".md")) {
      Matcher snippet = SNIPPET.matcher(Repository.read(doc));
      while (snippet.find()) {
        String source = tagged(Repository.read(Path.of(snippet.group(1))), snippet.group(2));
        if (!source.equals(snippet.group(3).stripTrailing())) {
          broken.add(doc + ": " + snippet.group(1) + "#" + snippet.group(2) + " is\n" + source);
        }
      }
    }
    assertThat(broken).isEmpty();
    assertThat(tagged("a\n  // tag::x\n  b\n    c\n  // end::x\n", "x")).isEqualTo("b\n  c");
  }

  private static void assertKept(
      String suffix, Predicate<String> applies, Function<String, List<String>> rule, String breaksIt) {
    List<String> broken = new ArrayList<>();
    List<Path> files = Repository.files(suffix).stream().filter(file -> applies.test(file.toString())).toList();
    for (Path file : files) {
      rule.apply(Repository.read(file)).forEach(line -> broken.add(file + ":" + line));
    }
    assertThat(files).isNotEmpty();
    assertThat(broken).isEmpty();
    assertThat(rule.apply(breaksIt)).isNotEmpty();
  }

  private static Set<String> names(List<Path> files, String folder) {
    Set<String> names = new TreeSet<>();
    files.stream().filter(file -> file.toString().contains(folder)).forEach(file -> names.add(file.getFileName().toString()));
    return names;
  }

  private static Set<String> columns(String folder) {
    Set<String> columns = new TreeSet<>();
    Repository.files(".sql").stream().filter(file -> file.toString().contains(folder)).forEach(file -> {
      Matcher table = TABLE.matcher(Repository.read(file));
      while (table.find()) {
        Matcher column = COLUMN.matcher(table.group(2));
        while (column.find()) {
          columns.add(table.group(1) + "." + column.group(1));
        }
      }
    });
    return columns;
  }

  private static String tagged(String source, String tag) {
    List<String> lines = new ArrayList<>();
    boolean inside = false;
    for (String line : source.lines().toList()) {
      if (line.strip().endsWith("tag::" + tag)) {
        inside = true;
      } else if (line.strip().endsWith("end::" + tag)) {
        inside = false;
      } else if (inside) {
        lines.add(line);
      }
    }
    return String.join("\n", lines).stripIndent().stripTrailing();
  }
}
