package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INTERNAL;
import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;
import static dev.agwp.server.http.ErrorCode.METHOD_NOT_ALLOWED;
import static dev.agwp.server.http.ErrorCode.NOT_ACCEPTABLE;
import static dev.agwp.server.http.ErrorCode.NOT_FOUND;
import static dev.agwp.server.http.ErrorCode.UNAUTHENTICATED;
import static dev.agwp.server.http.ErrorCode.UNSUPPORTED_MEDIA_TYPE;

import jakarta.inject.Inject;
import jakarta.inject.Provider;
import jakarta.validation.ConstraintViolationException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.ExceptionMapper;
import org.glassfish.jersey.server.ParamException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The one place where an exception becomes an answer. What is not a refusal of ours is logged and told as `internal`. */
final class ProblemMapper implements ExceptionMapper<Throwable> {
  private static final Logger LOG = LoggerFactory.getLogger(ProblemMapper.class);

  private final Problems problems;
  private final FieldRules rules;

  @Inject
  private Provider<ContainerRequestContext> request;

  ProblemMapper(Problems problems, FieldRules rules) {
    this.problems = problems;
    this.rules = rules;
  }

  @Override
  public Response toResponse(Throwable thrown) {
    ApiException refusal = refusal(thrown);
    Format format = Format.of(request.get());
    RequestLog.outcome(request.get(), refusal.code());
    Response.ResponseBuilder answer = Response.status(refusal.code().status())
        .type(format.problemType())
        .entity(problems.body(refusal, format));
    if (Problems.mayBeRetried(refusal.code())) {
      answer.header(HttpHeaders.RETRY_AFTER, refusal.retryAfterSeconds());
    }
    if (refusal.code() == UNAUTHENTICATED) {
      answer.header(HttpHeaders.WWW_AUTHENTICATE, "Bearer");
    }
    if (thrown instanceof WebApplicationException refused && refused.getResponse().getHeaderString("Allow") != null) {
      answer.header(HttpHeaders.ALLOW, refused.getResponse().getHeaderString("Allow"));
    }
    return answer.build();
  }

  private ApiException refusal(Throwable thrown) {
    if (thrown instanceof ApiException refusal) {
      return refusal;
    }
    if (thrown.getCause() instanceof ApiException refusal) {
      return refusal;
    }
    if (thrown instanceof ConstraintViolationException violated) {
      return rules.explain(violated.getConstraintViolations());
    }
    if (thrown instanceof ParamException malformed) {
      return rules.explainParameter(malformed.getParameterName());
    }
    if (thrown instanceof WebApplicationException refused) {
      return switch (refused.getResponse().getStatus()) {
        case 404 -> new ApiException(NOT_FOUND, "no operation has this path");
        case 405 -> new ApiException(METHOD_NOT_ALLOWED, "no operation of this path has this method; see Allow");
        case 406 -> new ApiException(NOT_ACCEPTABLE, "Accept must allow application/json or application/x-protobuf");
        case 415 -> new ApiException(UNSUPPORTED_MEDIA_TYPE,
            "Content-Type must be application/json or application/x-protobuf");
        case 400 -> new ApiException(INVALID_ARGUMENT, "the request is malformed");
        default -> internal(thrown);
      };
    }
    return internal(thrown);
  }

  private ApiException internal(Throwable thrown) {
    LOG.error("request {} failed", RequestLog.id(request.get()), thrown);
    return new ApiException(INTERNAL, "the server failed; its log has this request's X-Request-Id");
  }

  /** Jersey's own mapper for validation is nearer to this exception than ours is, and answers with class names. */
  static final class Violations implements ExceptionMapper<ConstraintViolationException> {
    private final ProblemMapper mapper;

    Violations(ProblemMapper mapper) {
      this.mapper = mapper;
    }

    @Override
    public Response toResponse(ConstraintViolationException violated) {
      return mapper.toResponse(violated);
    }
  }
}
