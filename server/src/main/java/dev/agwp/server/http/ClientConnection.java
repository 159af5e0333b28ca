package dev.agwp.server.http;

import jakarta.ws.rs.container.ContainerRequestContext;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.function.BooleanSupplier;
import org.glassfish.grizzly.Connection;
import org.glassfish.grizzly.nio.NIOConnection;
import org.glassfish.grizzly.ssl.SSLUtils;

/** The connection a request came on, as far as one can know whether somebody still listens at its other end. */
public final class ClientConnection {
  static final String PROPERTY = "agwp.connection";
  private static final int END_OF_STREAM = -1;

  private ClientConnection() {}

  /** Where the request comes from: its caller, or the proxy before this server. */
  public static InetAddress address(ContainerRequestContext request) {
    return OpenConnection.of((Connection<?>) request.getProperty(PROPERTY)).address();
  }

  /**
   * Tells, whenever asked, whether the caller of this request has closed its connection.
   *
   * <p>Grizzly does not look at a connection while a request of it is being answered, so this reads from the socket itself. A caller
   * that has sent its next request already loses a byte of that; its answer then says {@code Connection: close}, after
   * which a client sends unanswered requests again (RFC 9112, 9.3.2).
   */
  public static BooleanSupplier gone(ContainerRequestContext request) {
    Connection<?> connection = (Connection<?>) request.getProperty(PROPERTY);
    return () -> !connection.isOpen() || hasEnded(connection, request);
  }

  private static boolean hasEnded(Connection<?> connection, ContainerRequestContext request) {
    if (!(connection instanceof NIOConnection nio) || !(nio.getChannel() instanceof SocketChannel channel)) {
      return false;
    }
    try {
      int bytes = channel.read(ByteBuffer.allocate(1));
      if (bytes > 0) {
        Answer.closeConnection(request);
      }
      // Over TLS it is a part of a record: as a rule of the one with which a client ends, since none sends requests ahead.
      return bytes == END_OF_STREAM || bytes > 0 && SSLUtils.getSSLEngine(connection) != null;
    } catch (IOException reset) {
      return true;
    }
  }
}
