package dev.agwp.attestation;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * What an in-toto Statement v1 says that AGWP holds against a job.
 *
 * @param subjectDigests of its subjects, as {@code sha256:<64 lower-case hex digits>}; those of other algorithms and forms are left out
 * @param jobId the job its predicate names; null for none
 * @param fencingToken the claim of that job; null for none
 * @param principal who made it by its predicate; null for none
 */
public record Statement(List<String> subjectDigests, String predicateType, String jobId, Long fencingToken, String principal) {
  public static final String MEDIA_TYPE = "application/vnd.in-toto+json";
  public static final String TYPE = "https://in-toto.io/Statement/v1";
  /** A predicate that binds a statement to one claim of one job. */
  public static final String JOB_PREDICATE = "https://agwp.dev/attestation/job/v1";
  /** Workers write the job and the claim into its annotations. */
  public static final String TEST_RESULT_PREDICATE = "https://in-toto.io/attestation/test-result/v0.1";
  public static final int SUBJECTS_MAX = 64;

  private static final String WHAT = "the in-toto Statement";
  private static final Pattern SHA256_HEX = Pattern.compile("[0-9a-f]{64}");
  private static final long TOKEN_MAX = 4_294_967_295L;

  /** @throws MalformedAttestation when the bytes are no in-toto Statement v1 */
  public static Statement parse(byte[] json) {
    JsonNode statement = StrictJson.object(WHAT, json);
    if (!TYPE.equals(StrictJson.text(WHAT, statement, "_type"))) {
      throw new MalformedAttestation(WHAT + " must have the _type " + TYPE);
    }
    List<String> subjectDigests = subjectDigests(statement.path("subject"));
    String predicateType = StrictJson.text(WHAT, statement, "predicateType");
    JsonNode predicate = statement.path("predicate");
    if (statement.has("predicate") && !predicate.isObject()) {
      throw new MalformedAttestation(WHAT + " has a predicate that is not a JSON object");
    }
    return switch (predicateType) {
      case JOB_PREDICATE -> ofJob(subjectDigests, predicate);
      case TEST_RESULT_PREDICATE -> ofTestResult(subjectDigests, predicate);
      default -> new Statement(subjectDigests, predicateType, null, null, null);
    };
  }

  private static List<String> subjectDigests(JsonNode subjects) {
    if (!subjects.isArray() || subjects.isEmpty() || subjects.size() > SUBJECTS_MAX) {
      throw new MalformedAttestation(WHAT + " must have 1.." + SUBJECTS_MAX + " subjects");
    }
    List<String> sha256 = new ArrayList<>();
    for (JsonNode subject : subjects) {
      JsonNode digest = subject.path("digest");
      if (!digest.isObject() || digest.isEmpty() || digest.properties().stream().anyMatch(each -> !each.getValue().isTextual())) {
        throw new MalformedAttestation(WHAT + " must have subjects with a digest each, such as {\"sha256\": \"<64 hex digits>\"}");
      }
      String hex = digest.path("sha256").asText();
      if (SHA256_HEX.matcher(hex).matches()) {
        sha256.add("sha256:" + hex);
      }
    }
    return List.copyOf(sha256);
  }

  private static Statement ofJob(List<String> subjectDigests, JsonNode predicate) {
    String jobId = StrictJson.text("the predicate " + JOB_PREDICATE, predicate, "job_id");
    String principal = predicate.path("principal").isTextual() ? predicate.get("principal").textValue() : null;
    if (!predicate.has("fencing_token")) {
      throw new MalformedAttestation("the predicate " + JOB_PREDICATE + " has no fencing_token");
    }
    return new Statement(subjectDigests, JOB_PREDICATE, jobId, token("fencing_token", predicate), principal);
  }

  private static Statement ofTestResult(List<String> subjectDigests, JsonNode predicate) {
    String jobId = null;
    Long token = null;
    for (JsonNode configuration : predicate.path("configuration")) {
      JsonNode annotations = configuration.path("annotations");
      if (annotations.has("agwp_job_id") || annotations.has("agwp_attempts")) {
        String another = annotations.path("agwp_job_id").asText(null);
        Long anotherToken = token("agwp_attempts", annotations);
        if (jobId != null && !jobId.equals(another) || token != null && !Objects.equals(token, anotherToken)) {
          throw new MalformedAttestation("the predicate " + TEST_RESULT_PREDICATE + " names more than one job or attempt");
        }
        jobId = another;
        token = anotherToken;
      }
    }
    return new Statement(subjectDigests, TEST_RESULT_PREDICATE, jobId, token, null);
  }

  /** Null where there is none. */
  private static Long token(String field, JsonNode object) {
    JsonNode token = object.path(field);
    if (token.isMissingNode()) {
      return null;
    }
    if (!token.isIntegralNumber() || !token.canConvertToLong() || token.longValue() < 1 || token.longValue() > TOKEN_MAX) {
      throw new MalformedAttestation("the predicate has a " + field + " that is not a whole number, 1.." + TOKEN_MAX);
    }
    return token.longValue();
  }
}
