package dev.agwp.server.http;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.agwp.server.message.Error;
import dev.agwp.server.message.Problem;

/** The body of a refusal, in either format. */
public final class Problems {
  private final MessageBodies bodies;

  Problems(MessageBodies bodies) {
    this.bodies = bodies;
  }

  byte[] body(ApiException refusal, Format format) {
    try {
      return bodies.bytes(format == Format.PROTOBUF ? error(refusal) : problem(refusal), format);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static boolean mayBeRetried(ErrorCode code) {
    return code == ErrorCode.UNAVAILABLE || code == ErrorCode.RESOURCE_EXHAUSTED;
  }

  private static Problem problem(ApiException refusal) {
    ErrorCode code = refusal.code();
    return new Problem()
        .type("urn:agwp:problem:" + code.word())
        .title(code.title())
        .status(code.status())
        .detail(refusal.getMessage())
        .code(code.word())
        .errors(refusal.errors().isEmpty() ? null : refusal.errors())
        .reason(refusal.reason() == null ? null : refusal.reason().word());
  }

  /** A refusal as a message. */
  public static Error error(ApiException refusal) {
    return new Error()
        .code(refusal.code().word())
        .detail(refusal.getMessage())
        .errors(refusal.errors().isEmpty() ? null : refusal.errors())
        .reason(refusal.reason() == null ? null : refusal.reason().word());
  }
}
