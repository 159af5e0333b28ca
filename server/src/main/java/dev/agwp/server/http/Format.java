package dev.agwp.server.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.core.MediaType;

/** The two formats of the contract. */
enum Format {
  JSON(MediaType.APPLICATION_JSON_TYPE, new MediaType("application", "problem+json")),
  PROTOBUF(new MediaType("application", "x-protobuf"), new MediaType("application", "x-protobuf"));

  private static final String PROPERTY = "agwp.format";

  private final MediaType mediaType;
  private final MediaType problemType;

  Format(MediaType mediaType, MediaType problemType) {
    this.mediaType = mediaType;
    this.problemType = problemType;
  }

  MediaType mediaType() {
    return mediaType;
  }

  MediaType problemType() {
    return problemType;
  }

  boolean is(MediaType type) {
    return type != null && type.getType().equalsIgnoreCase(mediaType.getType())
        && type.getSubtype().equalsIgnoreCase(mediaType.getSubtype());
  }

  /** The format the answer to this request is in; JSON while that is not decided. */
  static Format of(ContainerRequestContext request) {
    return request != null && request.getProperty(PROPERTY) instanceof Format format ? format : JSON;
  }

  void answers(ContainerRequestContext request) {
    request.setProperty(PROPERTY, this);
  }
}
