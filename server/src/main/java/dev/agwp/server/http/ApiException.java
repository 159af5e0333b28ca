package dev.agwp.server.http;

import dev.agwp.server.message.FieldError;
import java.util.List;

/** A refusal the caller is told about: thrown where the rule is known, turned into an answer by {@link ProblemMapper}. */
public final class ApiException extends RuntimeException {
  private static final int RETRY_AFTER_SECONDS_DEFAULT = 1;

  private final ErrorCode code;
  private final List<FieldError> errors;
  private final Reason reason;
  private final int retryAfterSeconds;

  public ApiException(ErrorCode code, String detail) {
    this(code, detail, List.of());
  }

  ApiException(ErrorCode code, String detail, List<FieldError> errors) {
    this(code, detail, errors, null, RETRY_AFTER_SECONDS_DEFAULT);
  }

  private ApiException(ErrorCode code, String detail, List<FieldError> errors, Reason reason, int retryAfterSeconds) {
    // A refusal is an answer, not a bug: no stack trace is needed, and none is paid for.
    super(detail, null, false, false);
    this.code = code;
    this.errors = errors;
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  /** The same refusal, naming the field at fault as the request names it. */
  public ApiException at(String field) {
    String message = getMessage().startsWith(field + " ") ? getMessage().substring(field.length() + 1) : getMessage();
    return new ApiException(code, getMessage(), List.of(new FieldError().field(field).message(message)));
  }

  /** The same refusal of a part of a request, naming its fields as the whole request names them. */
  public ApiException within(String part) {
    if (errors.isEmpty()) {
      return new ApiException(code, part + ": " + getMessage(), errors, reason, retryAfterSeconds);
    }
    List<FieldError> named = errors.stream()
        .map(error -> new FieldError().field(part + "." + error.getField()).message(error.getMessage())).toList();
    return new ApiException(code, part + "." + getMessage(), named, reason, retryAfterSeconds);
  }

  /** The same refusal, with its reason for programs. */
  public ApiException because(Reason why) {
    return new ApiException(code, getMessage(), errors, why, retryAfterSeconds);
  }

  /** The same refusal, when the call may be repeated with success: else a second later. */
  public ApiException retryAfter(int seconds) {
    return new ApiException(code, getMessage(), errors, reason, seconds);
  }

  public ErrorCode code() {
    return code;
  }

  /** Said to the caller with the codes that invite to repeat the call. */
  public int retryAfterSeconds() {
    return retryAfterSeconds;
  }

  public List<FieldError> errors() {
    return errors;
  }

  /** Null where none of the contract's reasons is why. */
  public Reason reason() {
    return reason;
  }
}
