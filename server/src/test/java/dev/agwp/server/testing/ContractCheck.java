package dev.agwp.server.testing;

import com.atlassian.oai.validator.OpenApiInteractionValidator;
import com.atlassian.oai.validator.model.Request;
import com.atlassian.oai.validator.model.SimpleResponse;
import com.atlassian.oai.validator.report.LevelResolver;
import com.atlassian.oai.validator.report.ValidationReport;
import dev.agwp.spec.Contract;
import dev.agwp.spec.MalformedMessage;
import dev.agwp.spec.Transcoder;
import dev.agwp.spec.WireSchema;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;

/** Holds every answer that a test gets against the contract, so that each HTTP test is a test of the contract too. */
final class ContractCheck {
  private static final OpenApiInteractionValidator VALIDATOR = OpenApiInteractionValidator
      .createForInlineApiSpecification(Contract.load().yaml())
      // Answers are open: what they say more is no fault.
      .withLevelResolver(LevelResolver.create().withLevel("validation.schema.additionalProperties", ValidationReport.Level.IGNORE).build())
      .build();
  private static final Transcoder TRANSCODER = new Transcoder(WireSchema.of(Contract.load()));
  private static final int ERROR = 400;

  private ContractCheck() {}

  /** @throws AssertionError when the contract knows the operation and the answer is not one of its */
  static void check(HttpRequest request, HttpResponse<byte[]> answer) {
    String path = request.uri().getPath();
    boolean attestation = path.endsWith("/attestation") && answer.statusCode() < ERROR;
    // An attestation is the worker's own bytes under the worker's own type, which the contract leaves open.
    if (!path.startsWith("/v1/") || attestation) {
      return;
    }
    String type = answer.headers().firstValue("Content-Type").orElse("");
    if (type.startsWith("application/x-protobuf")) {
      protobuf(path, answer);
      return;
    }
    SimpleResponse.Builder response = SimpleResponse.Builder.status(answer.statusCode()).withContentType(type);
    answer.headers().map().forEach((name, values) -> values.forEach(value -> response.withHeader(name, value)));
    response.withBody(new String(answer.body(), StandardCharsets.UTF_8));
    ValidationReport report = VALIDATOR.validateResponse(path, Request.Method.valueOf(request.method()), response.build());
    report.getMessages().stream()
        .filter(message -> message.getLevel() == ValidationReport.Level.ERROR)
        // A test may call what is no operation, or what a path does not allow, on purpose.
        .filter(message -> !message.getKey().equals("validation.request.path.missing")
            && !message.getKey().equals("validation.request.operation.notAllowed"))
        .findFirst()
        .ifPresent(message -> {
          throw new AssertionError(request.method() + " " + path + " " + answer.statusCode() + " is not as the contract says: "
              + message.getKey() + " " + message.getMessage());
        });
  }

  private static void protobuf(String path, HttpResponse<byte[]> answer) {
    try {
      if (answer.statusCode() >= ERROR) {
        TRANSCODER.toJson("Error", answer.body());
      }
    } catch (MalformedMessage malformed) {
      throw new AssertionError(path + " " + answer.statusCode() + " is not an Error message", malformed);
    }
  }
}
