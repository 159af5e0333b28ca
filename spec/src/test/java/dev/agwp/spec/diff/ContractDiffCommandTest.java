package dev.agwp.spec.diff;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The gate as somebody else's CI runs it. */
final class ContractDiffCommandTest {
  private static final String OLD = "released/1.0.0/openapi.yaml";
  private static final String NEW = "released/1.2.0/openapi.yaml";

  @TempDir
  private Path folder;

  private record Finished(int status, String output, String errors) {}

  @Test
  void what_breaks_nobody_ends_with_0_and_what_does_with_1() {
    Finished forth = run(OLD, NEW);
    assertThat(forth.status()).isZero();
    assertThat(forth.output()).startsWith("1.0.0 → 1.2.0: ").contains("none of them breaking",
        "compatible  request-property-added   HeartbeatJobRequest.fencing_token   + integer int64");

    Finished back = run(NEW, OLD);
    assertThat(back.status()).isEqualTo(1);
    assertThat(back.output()).contains("breaks old clients, generated source  request-property-removed   HeartbeatJobRequest.fencing_token",
        "request-property-removed: what is sent is silently dropped.");
    assertThat(run(OLD, OLD).output()).isEqualTo("No difference between 1.0.0 and 1.0.0.\n");
  }

  @Test
  void the_table_shows_long_words_where_they_differ() throws IOException {
    String words = "Seconds the claim is held unless a heartbeat renews it, 1 to 86400. Defaults to 60.";
    Path changed = Files.writeString(folder.resolve("words.yaml"),
        Files.readString(Path.of(NEW)).replace(words, words.replace("renews it", "renews the lease")));

    assertThat(run(NEW, changed.toString()).output()).containsPattern("renews it.*→ .*renews the lease");
  }

  @Test
  void json_tells_programs_each_change_its_rule_whom_it_breaks_and_why() throws IOException {
    JsonNode report = new ObjectMapper().readTree(run(NEW, OLD, "--format", "json").output());

    assertThat(report.get("before").asText()).isEqualTo("1.2.0");
    assertThat(report.get("breaking").asInt()).isPositive();
    JsonNode change = report.at("/changes/0");
    assertThat(change.get("rule").asText()).isEqualTo("response-property-removed");
    assertThat(change.get("breaks").toString()).isEqualTo("[\"old clients\",\"generated source\"]");
    assertThat(change.get("place").asText()).isEqualTo("Problem.reason");
    assertThat(change.get("reason").asText()).isEqualTo("clients read it");
    assertThat(change.get("breaking").asBoolean()).isTrue();
  }

  @Test
  void html_is_a_page_that_needs_nothing_else() throws IOException {
    Path page = folder.resolve("changes.html");

    Finished finished = run(OLD, NEW, "--format", "html", "--output", page.toString());

    assertThat(finished.status()).isZero();
    assertThat(finished.output()).isEmpty();
    assertThat(Files.readString(page)).contains("<h1>AGWP 1.0.0 → 1.2.0</h1>", "Compatible changes",
        "<code>HeartbeatJobRequest.fencing_token</code>").doesNotContain("src=", "href=");
  }

  @Test
  void what_stands_in_a_document_is_never_markup_in_the_page() throws IOException {
    Path evil = folder.resolve("evil.yaml");
    Files.writeString(evil, Files.readString(Path.of(OLD)).replace("title: AGWP", "title: <script>alert(1)</script>")
        .replace("summary: Put a job on a queue", "summary: x").replace("Stores the job;", "<img src=x onerror=alert(1)>"));

    assertThat(run(OLD, evil.toString(), "--format", "html").output()).contains("&lt;script&gt;", "&lt;img").doesNotContain("<script", "<img");
  }

  @Test
  void json_is_read_as_json() throws IOException {
    Path json = Files.writeString(folder.resolve("new.json"), "{\n\t\"openapi\": \"3.0.3\", \"info\": {\"version\": \"1\"}, \"paths\": {\"\\/a\": {}}}");

    assertThat(run(json.toString(), json.toString()).status()).isZero();
  }

  @Test
  void a_name_is_never_a_line_of_its_own_in_the_table() throws IOException {
    Path evil = folder.resolve("evil.yaml");
    Files.writeString(evil, Files.readString(Path.of(OLD)).replaceFirst("        status_message:",
        Matcher.quoteReplacement("        \"x\\n::error::y\":\n          type: string\n        status_message:")));

    assertThat(run(OLD, evil.toString()).output()).contains("x?::error::y").doesNotContain("\n::error::");
  }

  @Test
  void an_accepted_break_ends_with_0() throws IOException {
    Path changed = folder.resolve("changed.yaml");
    Files.writeString(changed, Files.readString(Path.of(OLD)).replace("operationId: claimJob", "operationId: takeJob"));
    Path accepted = folder.resolve("accepted.yaml");
    Files.writeString(accepted, "- {rule: operation-id-changed, place: takeJob, version: 1.0.0, justification: a test of what is accepted}");

    assertThat(run(OLD, changed.toString()).status()).isEqualTo(1);
    assertThat(run(OLD, changed.toString(), "--accepted", accepted.toString()).status()).isZero();
  }

  @Test
  void what_cannot_be_compared_ends_with_2_and_says_why() throws IOException {
    Path swagger = Files.writeString(folder.resolve("swagger.yaml"), "swagger: '2.0'\n");
    Path text = Files.writeString(folder.resolve("text"), "just text");
    Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe, 0});
    Path split = Files.writeString(folder.resolve("split.yaml"),
        Files.readString(Path.of(OLD)).replace("'#/components/schemas/ClaimJobRequest'", "'claim.yaml#/ClaimJobRequest'"));

    assertRefused("there is no such file", OLD, "none.yaml");
    assertRefused("not an OpenAPI 3 document", OLD, swagger.toString());
    assertRefused("not a YAML object", text.toString(), OLD);
    assertRefused(binary.toString(), binary.toString(), OLD);
    assertRefused("bundle it first", OLD, split.toString());
    Path aliased = Files.writeString(folder.resolve("aliased.yaml"), "openapi: 3.0.3\nx: &a {type: string}\ny: *a\npaths: {}\n");
    Path twice = Files.writeString(folder.resolve("twice.yaml"), "openapi: 3.0.3\npaths: {}\npaths: {/a: {}}\n");
    Path behind = Files.writeString(folder.resolve("behind.yaml"), "openapi: 3.0.3\npaths: {/a: {$ref: other.yaml}}\n");
    Path copy = Files.copy(Path.of(NEW), folder.resolve("copy.yaml"));
    assertRefused("aliases", aliased.toString(), OLD);
    assertRefused("Duplicate", twice.toString(), OLD);
    assertRefused("put the path item in its place", behind.toString(), OLD);
    assertRefused(folder + ": it cannot be read", folder.toString(), OLD);
    assertRefused("is one of the documents", OLD, copy.toString(), "--output", copy.toString());
    assertThat(Files.readString(copy)).isEqualTo(Files.readString(Path.of(NEW)));
    assertRefused("Missing required parameter", OLD);
    assertRefused("Invalid value for option '--format'", OLD, NEW, "--format", "pdf");
    assertRefused("Unknown option", OLD, NEW, "--strict");
    assertRefused("write a list", OLD, NEW, "--accepted", swagger.toString());
    assertThat(run("--help").output()).contains("Exit status: 0 nothing breaks");
  }

  private static void assertRefused(String why, String... args) {
    Finished finished = run(args);
    assertThat(finished.status()).as(String.join(" ", args)).isEqualTo(2);
    assertThat(finished.errors()).contains(why).doesNotContain("\tat ");
    assertThat(finished.output()).isEmpty();
  }

  private static Finished run(String... args) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    int status = ContractDiffCommand.execute(new PrintStream(out), new PrintStream(err), args);
    return new Finished(status, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }
}
