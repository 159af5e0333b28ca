package dev.agwp.server.http;

import java.time.Duration;

/**
 * What a client may use up of the server. Who goes over is refused or cut off; the others do not notice.
 *
 * @param connectionsMax connections that may be open at once; one more is closed as it comes
 * @param connectionsPerAddressMax the same for those from one address
 * @param head from the first byte of a request to the end of its headers, and for a TLS handshake; then the connection is closed
 * @param body from the end of the headers to the end of the body; then the request is refused and the connection closed
 * @param answer until all of an answer is taken by a client that does not read as fast as it is told; then the connection is closed
 * @param idle between two requests; then the connection is closed. Whole seconds
 * @param heldBytesMax bytes of unfinished bodies, of what bodies hold while they are worked on, and of answers that are not taken, each of
 *     all clients together
 */
public record Limits(int connectionsMax, int connectionsPerAddressMax, Duration head, Duration body, Duration answer, Duration idle,
    long heldBytesMax) {
  public static final int CONNECTIONS_MAX_DEFAULT = 10_000;
  /** Bytes of a request's first line and headers together. */
  static final int HEAD_BYTES_MAX = 8 * 1024;
  static final int HEADERS_MAX = 100;
  /** Bytes of answers that a client has not taken when its next request comes. A client that awaits its answers leaves none. */
  static final int UNREAD_BYTES_MAX = 1024 * 1024;

  public static Limits of(int connectionsMax, int connectionsPerAddressMax) {
    return new Limits(connectionsMax, connectionsPerAddressMax,
        Duration.ofSeconds(10), Duration.ofSeconds(30), Duration.ofSeconds(60), Duration.ofSeconds(75),
        Runtime.getRuntime().maxMemory() / 4);
  }

  /** The least of the times that are looked after by {@link OpenConnections}. */
  Duration shortest() {
    Duration headOrBody = head.compareTo(body) < 0 ? head : body;
    return headOrBody.compareTo(answer) < 0 ? headOrBody : answer;
  }
}
