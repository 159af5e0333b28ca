package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import dev.agwp.server.http.OpenConnection.What;
import java.io.IOException;
import java.util.Properties;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.http.ChunkedTransferEncoding;
import org.glassfish.grizzly.http.HttpContent;
import org.glassfish.grizzly.http.HttpResponsePacket;
import org.glassfish.grizzly.http.HttpServerFilter;
import org.glassfish.grizzly.http.KeepAlive;
import org.glassfish.grizzly.http.util.Header;
import org.glassfish.grizzly.memory.Buffers;

/** Grizzly's parser of requests. It gets a head when that is whole and passes {@link RequestHead}; its errors are our problems. */
final class StrictHttpCodec extends HttpServerFilter {
  private final Limits limits;
  private final Problems problems;
  private final OpenConnections connections;

  StrictHttpCodec(KeepAlive keepAlive, Limits limits, Problems problems, OpenConnections connections) {
    super(true, Limits.HEAD_BYTES_MAX, null, keepAlive, null, Limits.HEADERS_MAX, Limits.HEADERS_MAX, strictChunks());
    this.limits = limits;
    this.problems = problems;
    this.connections = connections;
    setAllowPayloadForUndefinedHttpMethods(true);
  }

  private static Properties strictChunks() {
    Properties strict = new Properties();
    strict.setProperty(ChunkedTransferEncoding.STRICT_CHUNKED_TRANSFER_CODING_LINE_TERMINATOR_RFC_9112, "true");
    return strict;
  }

  @Override
  public NextAction handleRead(FilterChainContext context) throws IOException {
    OpenConnection client = OpenConnection.of(context.getConnection());
    if (client.owes(What.TOO_LATE)) {
      return context.getStopAction();
    }
    if (client.owes(What.BODY) || client.owes(What.END)) {
      return super.handleRead(context);
    }
    RequestHead head = client.head();
    switch (head.look(context.getMessage())) {
      case UNFINISHED -> {
        if (client.owes(What.NOTHING)) {
          client.owes(What.HEAD, limits.head());
        }
        return context.getStopAction((Object) context.getMessage());
      }
      case FAULTY -> {
        connections.refuse(client, malformed(head.fault()));
        return context.getStopAction();
      }
      default -> {
        client.forgetHead();
        return client.pays() ? beginBody(context, client) : context.getStopAction();
      }
    }
  }

  private NextAction beginBody(FilterChainContext context, OpenConnection client) throws IOException {
    NextAction next = super.handleRead(context);
    if (next.type() == context.getStopAction().type()) {
      // The size of its first chunk has not come as a whole: what comes next is no head.
      client.owes(What.BODY, limits.body());
    }
    return next;
  }

  private static ApiException malformed(String fault) {
    return new ApiException(INVALID_ARGUMENT, "the request is malformed: " + fault);
  }

  /** The head has passed, so it is a chunk. */
  @Override
  protected HttpContent customizeErrorResponse(HttpResponsePacket response) {
    byte[] body = problems.body(malformed("a chunk of its body cannot be read"), Format.JSON);
    response.setContentType(Format.JSON.problemType().toString());
    response.setContentLength(body.length);
    response.setHeader(FrontHandler.REQUEST_ID_HEADER, FrontHandler.newId());
    response.setHeader(Header.Connection, "close");
    return HttpContent.builder(response).content(Buffers.wrap(null, body)).last(true).build();
  }
}
