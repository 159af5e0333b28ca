package dev.agwp.server.http;

import dev.agwp.server.http.OpenConnection.What;
import java.util.concurrent.atomic.AtomicLong;
import org.glassfish.grizzly.Buffer;
import org.glassfish.grizzly.filterchain.BaseFilter;
import org.glassfish.grizzly.filterchain.FilterChainContext;
import org.glassfish.grizzly.filterchain.NextAction;
import org.glassfish.grizzly.http.HttpContent;
import org.glassfish.grizzly.http.HttpRequestPacket;
import org.glassfish.grizzly.http.HttpResponsePacket;
import org.glassfish.grizzly.http.util.HttpStatus;
import org.glassfish.grizzly.memory.Buffers;

/**
 * Passes a request on when all of it has come. Until then its body is kept aside and no thread waits for it, so a thousand clients that
 * send theirs slowly cost nobody else anything.
 */
final class WholeRequests extends BaseFilter {
  /** The refusal that {@link FrontHandler} gives instead of an answer. */
  static final String REFUSAL = "agwp.refusal";

  private final Limits limits;
  private final OpenConnections connections;
  private final AtomicLong unfinishedBytes = new AtomicLong();

  WholeRequests(Limits limits, OpenConnections connections) {
    this.limits = limits;
    this.connections = connections;
  }

  @Override
  public NextAction handleRead(FilterChainContext context) {
    HttpContent content = context.getMessage();
    OpenConnection client = OpenConnection.of(context.getConnection());
    if (HttpContent.isBroken(content) || client.owes(What.TOO_LATE)) {
      // It was refused already.
      return context.getStopAction();
    }
    int unread = client.unreadBytes();
    if (unread > Limits.UNREAD_BYTES_MAX) {
      connections.end(client, "unread_answers");
      return context.getStopAction();
    }
    if (unread == 0) {
      client.hasReadAll();
    }
    if (content.isLast() && client.owes(What.NOTHING)) {
      return pass(context, client);
    }
    return gather(context, client, content);
  }

  private NextAction gather(FilterChainContext context, OpenConnection client, HttpContent content) {
    HttpRequestPacket request = (HttpRequestPacket) content.getHttpHeader();
    if (client.owes(What.NOTHING)) {
      if (request.getContentLength() > BodyLimit.BYTES_MAX) {
        return refuse(context, client, request, BodyLimit.tooLarge());
      }
      client.owes(What.BODY, limits.body());
      if (request.requiresAcknowledgement()) {
        letItCome(context, request.getResponse());
      }
    }
    ApiException refusal = keep(client, content.getContent());
    if (refusal != null) {
      return refuse(context, client, request, refusal);
    }
    if (!content.isLast()) {
      content.recycle();
      return context.getStopAction();
    }
    byte[] body = client.takeBody();
    forget(client);
    if (!client.pays()) {
      return context.getStopAction();
    }
    context.setMessage(HttpContent.builder(request).content(Buffers.wrap(context.getMemoryManager(), body)).last(true).build());
    return pass(context, client);
  }

  private static NextAction pass(FilterChainContext context, OpenConnection client) {
    client.asks();
    return context.getInvokeAction();
  }

  /** The refusal for what is too much, else null. */
  private ApiException keep(OpenConnection client, Buffer part) {
    boolean fits = unfinishedBytes.addAndGet(part.remaining()) <= limits.heldBytesMax();
    int bytes = client.keep(part);
    if (!client.connection().isOpen()) {
      // It was closed meanwhile, and handleClose may not come again.
      forget(client);
    }
    if (bytes > BodyLimit.BYTES_MAX) {
      return BodyLimit.tooLarge();
    }
    return fits ? null : BodyLimit.tooManyUnfinished();
  }

  // Expect: 100-continue. Grizzly says so when a handler begins, which here is not before the body has come.
  private static void letItCome(FilterChainContext context, HttpResponsePacket response) {
    response.setStatus(HttpStatus.CONINTUE_100);
    response.setAcknowledgement(true);
    context.write(response);
    response.setStatus(HttpStatus.OK_200);
  }

  /** What is still to come is read and thrown away, so that the client gets to read the refusal; until the same time as a body. */
  private NextAction refuse(FilterChainContext context, OpenConnection client, HttpRequestPacket request, ApiException refusal) {
    client.owes(What.END, limits.body());
    client.dropBody();
    forget(client);
    request.setAttribute(REFUSAL, refusal);
    return pass(context, client);
  }

  @Override
  public NextAction handleClose(FilterChainContext context) {
    OpenConnection client = OpenConnection.of(context.getConnection());
    if (client != null) {
      forget(client);
    }
    return context.getInvokeAction();
  }

  private void forget(OpenConnection client) {
    unfinishedBytes.addAndGet(-client.forgetBodyBytes());
  }
}
