package dev.agwp.server.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import jakarta.ws.rs.container.ContainerResponseContext;
import jakarta.ws.rs.container.ContainerResponseFilter;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;

/** What an operation says of its answer beside the message it returns: a status other than 200, a media type of its own. */
public final class Answer implements ContainerResponseFilter {
  private static final String STATUS = "agwp.status";
  private static final String MEDIA_TYPE = "agwp.mediaType";
  private static final String CLOSE = "agwp.close";
  private static final int OK = 200;

  public static void status(ContainerRequestContext request, int status) {
    request.setProperty(STATUS, status);
  }

  public static void mediaType(ContainerRequestContext request, String mediaType) {
    request.setProperty(MEDIA_TYPE, mediaType);
  }

  static void closeConnection(ContainerRequestContext request) {
    request.setProperty(CLOSE, true);
  }

  @Override
  public void filter(ContainerRequestContext request, ContainerResponseContext response) {
    if (request.getProperty(CLOSE) != null) {
      response.getHeaders().putSingle("Connection", "close");
    }
    if (response.getStatus() != OK) {
      return;
    }
    if (request.getProperty(STATUS) instanceof Integer status) {
      response.setStatus(status);
    }
    if (request.getProperty(MEDIA_TYPE) instanceof String mediaType) {
      response.getHeaders().putSingle(HttpHeaders.CONTENT_TYPE, MediaType.valueOf(mediaType));
      // The type is the worker's word: no browser is to run what it finds under it.
      response.getHeaders().putSingle("Content-Disposition", "attachment");
    }
  }
}
