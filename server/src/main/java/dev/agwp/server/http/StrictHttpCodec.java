package dev.agwp.server.http;

import static dev.agwp.server.http.ErrorCode.INVALID_ARGUMENT;

import dev.agwp.server.http.OpenConnection.What;
import java.io.IOException;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.http.HttpContent;
import org.glassfish.grizzly.http.HttpHeader;
import org.glassfish.grizzly.http.HttpRequestPacket;
import org.glassfish.grizzly.http.HttpResponsePacket;
import org.glassfish.grizzly.http.HttpServerFilter;
import org.glassfish.grizzly.http.KeepAlive;
import org.glassfish.grizzly.http.util.Header;
import org.glassfish.grizzly.memory.Buffers;

/** Grizzly's parser of requests, with a head that must come in time and pass {@link HeadCheck}, and with our problems for its errors. */
final class StrictHttpCodec extends HttpServerFilter {
  private static final String FAULT = "agwp.fault";
  private static final String ANY_FAULT = "its first line, a header or a chunk of its body cannot be read, or the head is larger than "
      + Limits.HEAD_BYTES_MAX + " bytes or " + Limits.HEADERS_MAX + " headers";

  private final Limits limits;
  private final Problems problems;

  StrictHttpCodec(KeepAlive keepAlive, Limits limits, Problems problems) {
    super(true, Limits.HEAD_BYTES_MAX, null, keepAlive, null, Limits.HEADERS_MAX, Limits.HEADERS_MAX);
    this.limits = limits;
    this.problems = problems;
    setAllowPayloadForUndefinedHttpMethods(true);
  }

  @Override
  public NextAction handleRead(FilterChainContext context) throws IOException {
    OpenConnection client = OpenConnection.of(context.getConnection());
    client.readsHeadFrom(((Buffer) context.getMessage()).position());
    NextAction next = super.handleRead(context);
    if (client.owes(What.NOTHING) && !client.hasHead()) {
      client.owes(What.HEAD, limits.head());
    }
    return next;
  }

  @Override
  protected boolean onHttpHeaderParsed(HttpHeader header, Buffer bytes, FilterChainContext context) {
    OpenConnection client = OpenConnection.of(context.getConnection());
    String fault = HeadCheck.fault(bytes, client.headIsWhole(), bytes.position());
    ((HttpRequestPacket) header).setAttribute(FAULT, fault);
    return fault != null || !client.pays() || super.onHttpHeaderParsed(header, bytes, context);
  }

  @Override
  protected HttpContent customizeErrorResponse(HttpResponsePacket response) {
    Object fault = response.getRequest().getAttribute(FAULT);
    byte[] body = problems.body(
        new ApiException(INVALID_ARGUMENT, "the request is malformed: " + (fault == null ? ANY_FAULT : fault)), Format.JSON);
    response.setStatus(INVALID_ARGUMENT.status());
    response.setContentType(Format.JSON.problemType().toString());
    response.setContentLength(body.length);
    response.setHeader(FrontHandler.REQUEST_ID_HEADER, FrontHandler.newId());
    response.setHeader(Header.Connection, "close");
    return HttpContent.builder(response).content(Buffers.wrap(null, body)).last(true).build();
  }
}
