package dev.agwp.sdk;

import java.util.List;

/**
 * A call that was refused, or whose fate is not known.
 *
 * <p>Decide by {@link #code()}, and for a refused call on a job, a lease or an integration by {@link #reason()}. A word this release
 * does not know is given as the server sent it.
 */
public class AgwpException extends RuntimeException {
  private static final long serialVersionUID = 1;

  private final String code;
  private final String reason;
  private final int status;
  private final transient List<FieldError> fieldErrors;
  private final String requestId;

  AgwpException(Refusal refusal, Throwable cause) {
    super(refusal.detail(), cause);
    this.code = refusal.code();
    this.reason = refusal.reason();
    this.status = refusal.status();
    this.fieldErrors = refusal.errors();
    this.requestId = refusal.requestId();
  }

  /**
   * A field at fault.
   *
   * @param field as the request names it, for example {@code jobs[3].queue}
   * @param message what it must be
   */
  public record FieldError(String field, String message) {}

  /** What a server said of a call it refused. */
  record Refusal(int status, String code, String reason, String detail, List<FieldError> errors, String requestId) {
    /** Nothing came back that would say more. */
    static Refusal unavailable(String detail) {
      return new Refusal(0, "unavailable", null, detail, List.of(), null);
    }
  }

  /** The kind of problem, for example {@code invalid_argument}; the contract lists them, and later releases may add some. */
  public String code() {
    return code;
  }

  /**
   * Why a call on a job was refused: {@code unknown_job}, {@code not_holder}, {@code stale_fencing_token},
   * {@code fencing_token_required}, {@code job_ended}, {@code job_cancelled}, or {@code attestation_required}, {@code attestation_unsigned},
   * {@code attestation_invalid} or {@code attestation_mismatch}. Of leases and integrations: {@code unknown_lease}, {@code lease_held},
   * {@code not_holder}, {@code stale_fencing_token}, {@code lease_released}, {@code lease_expired}, {@code unknown_integration} or
   * {@code stale_base}. Later releases may add some. Null where none of them is why, and from servers before release 1.2.0.
   */
  public String reason() {
    return reason;
  }

  /** The HTTP status, 400 to 599; 0 when no answer came. */
  public int status() {
    return status;
  }

  /** The fields at fault; empty where no field is. */
  public List<FieldError> fieldErrors() {
    return fieldErrors == null ? List.of() : fieldErrors;
  }

  /** What the server's log calls this request; null when no answer came. */
  public String requestId() {
    return requestId;
  }
}
