package dev.agwp.attestation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StatementTest {
  private static final String HEX = "ab".repeat(32);
  private static final String SUBJECT = "[{\"name\":\"a\",\"digest\":{\"sha256\":\"" + HEX + "\"}}]";

  @Test
  void a_statement_of_a_job_tells_its_subject_job_claim_and_maker() {
    Statement statement = parse(statement(SUBJECT, Statement.JOB_PREDICATE,
        "{\"job_id\":\"j1\",\"fencing_token\":3,\"principal\":\"ci\",\"exit_code\":0}"));

    assertThat(statement).isEqualTo(
        new Statement(java.util.List.of("sha256:" + HEX), Statement.JOB_PREDICATE, "j1", 3L, "ci"));
  }

  @Test
  void a_test_result_names_the_job_in_its_annotations() {
    Statement statement = parse(statement(SUBJECT, Statement.TEST_RESULT_PREDICATE,
        "{\"result\":\"PASSED\",\"configuration\":[{\"name\":\"x\"},{\"annotations\":{\"agwp_job_id\":\"j1\",\"agwp_attempts\":2}}]}"));

    assertThat(statement.jobId()).isEqualTo("j1");
    assertThat(statement.fencingToken()).isEqualTo(2);
  }

  @Test
  void a_predicate_of_somebody_else_is_not_read() {
    Statement statement = parse(statement(SUBJECT, "https://slsa.dev/provenance/v1", "{\"job_id\":7,\"fencing_token\":\"x\"}"));

    assertThat(statement.predicateType()).isEqualTo("https://slsa.dev/provenance/v1");
    assertThat(statement.jobId()).isNull();
  }

  @Test
  void a_digest_of_another_algorithm_or_in_upper_case_is_no_sha256() {
    String subjects = "[{\"digest\":{\"md5\":\"00\"}},{\"digest\":{\"sha256\":\"" + HEX.toUpperCase() + "\"}},{\"digest\":{\"sha256\":\"ab\"}},"
        + "{\"digest\":{\"sha512\":\"00\",\"sha256\":\"" + HEX + "\"},\"uri\":\"u\"}]";

    assertThat(parse(statement(subjects, "p", "{}")).subjectDigests()).containsExactly("sha256:" + HEX);
  }

  @Test
  void fields_of_later_versions_are_ignored_and_a_predicate_may_be_absent() {
    assertThat(parse("{\"_type\":\"" + Statement.TYPE + "\",\"subject\":" + SUBJECT + ",\"predicateType\":\"p\",\"later\":1}").predicateType())
        .isEqualTo("p");
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "''; is not a JSON object",
      "[]; is not a JSON object",
      "{; is not one well-formed JSON object",
      "{} {}; is not one well-formed JSON object",
      "\ufeff{}; is not one well-formed JSON object",
      "{\"_type\":1}; has no text _type",
      "{\"_type\":\"https://in-toto.io/Statement/v0.1\"}; must have the _type https://in-toto.io/Statement/v1",
      "{\"_type\":\"a\",\"_type\":\"b\"}; a key appears twice"})
  void what_is_no_statement_is_refused_with_what_is_wrong(String json, String why) {
    assertThatThrownBy(() -> parse(json)).isInstanceOf(MalformedAttestation.class).hasMessageContaining(why);
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "[]; must have 1..64 subjects",
      "{}; must have 1..64 subjects",
      "[{}]; must have subjects with a digest each",
      "[{\"digest\":{}}]; must have subjects with a digest each",
      "[{\"digest\":{\"sha256\":1}}]; must have subjects with a digest each",
      "[null]; must have subjects with a digest each"})
  void subjects_that_name_nothing_are_refused(String subjects, String why) {
    assertThatThrownBy(() -> parse(statement(subjects, "p", "{}"))).hasMessageContaining(why);
  }

  @ParameterizedTest
  @CsvSource(delimiter = ';', value = {
      "{\"fencing_token\":1}; has no text job_id",
      "{\"job_id\":\"j\"}; has no fencing_token",
      "{\"job_id\":\"j\",\"fencing_token\":0}; is not a whole number, 1..4294967295",
      "{\"job_id\":\"j\",\"fencing_token\":4294967296}; is not a whole number, 1..4294967295",
      "{\"job_id\":\"j\",\"fencing_token\":1.0}; is not a whole number, 1..4294967295",
      "{\"job_id\":\"j\",\"fencing_token\":\"1\"}; is not a whole number, 1..4294967295",
      "[]; a predicate that is not a JSON object"})
  void a_predicate_of_a_job_that_does_not_bind_it_is_refused(String predicate, String why) {
    assertThatThrownBy(() -> parse(statement(SUBJECT, Statement.JOB_PREDICATE, predicate))).hasMessageContaining(why);
  }

  @Test
  void a_test_result_that_names_two_jobs_is_refused() {
    String predicate = "{\"configuration\":[{\"annotations\":{\"agwp_job_id\":\"a\"}},{\"annotations\":{\"agwp_job_id\":\"b\"}}]}";

    assertThatThrownBy(() -> parse(statement(SUBJECT, Statement.TEST_RESULT_PREDICATE, predicate))).hasMessageContaining("more than one job");
  }

  @Test
  void limits_are_kept_to_the_last_one_and_refused_beyond() {
    String one = "{\"digest\":{\"sha256\":\"" + HEX + "\"}}";
    assertThat(parse(statement("[" + (one + ",").repeat(63) + one + "]", "p", "{}")).subjectDigests()).hasSize(64);
    assertThatThrownBy(() -> parse(statement("[" + (one + ",").repeat(64) + one + "]", "p", "{}"))).hasMessageContaining("1..64 subjects");

    // The statement and its predicate are two levels themselves.
    assertThat(parse(statement(SUBJECT, "p", "{\"a\":" + "[".repeat(30) + "]".repeat(30) + "}")).predicateType()).isEqualTo("p");
    assertThatThrownBy(() -> parse(statement(SUBJECT, "p", "{\"a\":" + "[".repeat(31) + "]".repeat(31) + "}")))
        .hasMessageContaining("nested deeper than 32 levels");
  }

  @Test
  void text_that_is_not_utf_8_is_refused() {
    assertThatThrownBy(() -> Statement.parse(new byte[] {'{', '"', (byte) 0xc0, (byte) 0x80, '"', ':', '1', '}'})).hasMessageContaining("is not UTF-8");
    assertThatThrownBy(() -> Statement.parse("{}".getBytes(StandardCharsets.UTF_16LE))).isInstanceOf(MalformedAttestation.class);
  }

  private static Statement parse(String json) {
    return Statement.parse(json.getBytes(StandardCharsets.UTF_8));
  }

  private static String statement(String subjects, String predicateType, String predicate) {
    return "{\"_type\":\"" + Statement.TYPE + "\",\"subject\":" + subjects + ",\"predicateType\":\"" + predicateType + "\",\"predicate\":" + predicate + "}";
  }
}
