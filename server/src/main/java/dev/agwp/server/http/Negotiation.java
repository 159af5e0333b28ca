package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.NOT_ACCEPTABLE;
import static dev.agwp.server.http.ErrorCode.UNSUPPORTED_MEDIA_TYPE;

import jakarta.ws.rs.ProcessingException;
import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerRequestFilter;
import jakarta.ws.rs.container.PreMatching;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.util.List;

/**
 * Chooses the format of the answer: by Accept, else as the request, else JSON.
 *
 * <p>The header is rewritten to the one type chosen, since the generated interfaces also name problem+json in
 * {@code @Produces}, and a caller that accepts only that would get a job under the media type of an error.
 */
@PreMatching
final class Negotiation implements ContainerRequestFilter {
  private static final String BASE_PATH = "v1/";

  @Override
  public void filter(ContainerRequestContext request) {
    if (!request.getUriInfo().getPath(false).startsWith(BASE_PATH)) {
      return;
    }
    if (request.getHeaderString(HttpHeaders.CONTENT_TYPE) == null && request.hasEntity()) {
      request.getHeaders().putSingle(HttpHeaders.CONTENT_TYPE, MediaType.APPLICATION_JSON);
    }
    Format asked = Format.PROTOBUF.is(contentType(request)) ? Format.PROTOBUF : Format.JSON;
    asked.answers(request);
    if (request.getUriInfo().getPath(false).endsWith("/attestation")) {
      // The stored bytes have a media type of their own; only an error is in the format asked for.
      answerIn(chosen(request, asked), request, MediaType.WILDCARD);
      return;
    }
    Format format = chosen(request, asked);
    if (format == null) {
      throw new ApiException(NOT_ACCEPTABLE, "Accept must allow application/json or application/x-protobuf");
    }
    answerIn(format, request, format.mediaType().toString());
  }

  private static void answerIn(Format format, ContainerRequestContext request, String accept) {
    if (format != null) {
      format.answers(request);
    }
    request.getHeaders().putSingle(HttpHeaders.ACCEPT, accept);
  }

  private static MediaType contentType(ContainerRequestContext request) {
    try {
      return request.getMediaType();
    } catch (ProcessingException | IllegalArgumentException malformed) {
      throw new ApiException(UNSUPPORTED_MEDIA_TYPE, "Content-Type is not a media type");
    }
  }

  // The list is sorted by quality already; a range that allows both keeps the format of the request.
  private static Format chosen(ContainerRequestContext request, Format asked) {
    if (request.getHeaderString(HttpHeaders.ACCEPT) == null) {
      return asked;
    }
    for (MediaType range : accepted(request)) {
      if ("0".equals(range.getParameters().get("q")) || "0.0".equals(range.getParameters().get("q"))) {
        continue;
      }
      if (range.isWildcardType() || range.getType().equalsIgnoreCase("application") && range.isWildcardSubtype()) {
        return asked;
      }
      for (Format format : Format.values()) {
        if (format.is(range)) {
          return format;
        }
      }
    }
    return null;
  }

  private static List<MediaType> accepted(ContainerRequestContext request) {
    try {
      return request.getAcceptableMediaTypes();
    } catch (ProcessingException | IllegalArgumentException malformed) {
      throw new ApiException(NOT_ACCEPTABLE, "Accept is not a list of media types");
    }
  }
}
