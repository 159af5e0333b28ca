package dev.agwp.server.http;

/** The contract's error codes: the word on the wire, its HTTP status and its title. */
public enum ErrorCode {
  INVALID_ARGUMENT(400, "Invalid argument"),
  UNAUTHENTICATED(401, "Unauthenticated"),
  PERMISSION_DENIED(403, "Permission denied"),
  NOT_FOUND(404, "Not found"),
  METHOD_NOT_ALLOWED(405, "Method not allowed"),
  NOT_ACCEPTABLE(406, "Not acceptable"),
  ALREADY_EXISTS(409, "Already exists"),
  FAILED_PRECONDITION(409, "Failed precondition"),
  PAYLOAD_TOO_LARGE(413, "Payload too large"),
  UNSUPPORTED_MEDIA_TYPE(415, "Unsupported media type"),
  RESOURCE_EXHAUSTED(429, "Resource exhausted"),
  INTERNAL(500, "Internal error"),
  UNAVAILABLE(503, "Unavailable");

  private final int status;
  private final String title;

  ErrorCode(int status, String title) {
    this.status = status;
    this.title = title;
  }

  public int status() {
    return status;
  }

  public String title() {
    return title;
  }

  /** The code as the contract writes it, for example {@code invalid_argument}. */
  public String word() {
    return name().toLowerCase(java.util.Locale.ROOT);
  }
}
