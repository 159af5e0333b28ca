package dev.agwp.sdk.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Stands between a client and the real server, one request for each connection, and does to a request what the test says: pass it, drop
 * it unsent, send it and drop the answer, send it and answer 503, as a server does that has lost its database at the commit, or answer 429
 * or, as a server does that has no such operation, 405 unsent.
 */
public final class FaultProxy implements AutoCloseable {
  /** What becomes of a request. */
  public enum Fault { PASS, DROP_REQUEST, DROP_ANSWER, ANSWER_503, ANSWER_429, ANSWER_405 }

  /** @param line for example {@code POST /v1/jobs HTTP/1.1} */
  public record Seen(String line, String body) {}

  private static final byte[] UNAVAILABLE = problem("503 Service Unavailable", "unavailable");
  private static final Map<Fault, byte[]> UNSENT = Map.of(
      Fault.ANSWER_429, problem("429 Too Many Requests", "resource_exhausted"),
      Fault.ANSWER_405, problem("405 Method Not Allowed", "method_not_allowed"));
  private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)\r\ncontent-length: *(\\d+)");

  private final URI server;
  private final ServerSocket listener;
  private final List<Seen> seen = new CopyOnWriteArrayList<>();
  private volatile Function<Seen, Fault> faults = request -> Fault.PASS;

  public FaultProxy(URI server) {
    this.server = server;
    try {
      listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
    daemon(this::accept);
  }

  public URI uri() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  public void faults(Function<Seen, Fault> rule) {
    faults = rule;
  }

  /** Every request that came, in order. */
  public List<Seen> seen() {
    return seen;
  }

  public long count(String pathPart) {
    return seen.stream().filter(request -> request.line().contains(pathPart)).count();
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        daemon(() -> serve(client));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private static byte[] problem(String status, String code) {
    String body = "{\"code\":\"" + code + "\",\"detail\":\"busy\"}";
    return ("HTTP/1.1 " + status + "\r\nContent-Type: application/problem+json\r\nContent-Length: " + body.length()
        + "\r\nConnection: close\r\n\r\n" + body).getBytes(StandardCharsets.UTF_8);
  }

  private void serve(Socket client) {
    try (client) {
      byte[] request = message(client.getInputStream());
      String text = new String(request, StandardCharsets.UTF_8);
      Seen one = new Seen(text.lines().findFirst().orElse(""), text.substring(text.indexOf("\r\n\r\n") + 4));
      seen.add(one);
      Fault fault = faults.apply(one);
      if (fault == Fault.DROP_REQUEST) {
        return;
      }
      if (UNSENT.containsKey(fault)) {
        client.getOutputStream().write(UNSENT.get(fault));
        return;
      }
      try (Socket upstream = new Socket(server.getHost(), server.getPort())) {
        upstream.getOutputStream().write(text.replaceFirst("\r\n", "\r\nConnection: close\r\n").getBytes(StandardCharsets.UTF_8));
        daemon(() -> closeWithClient(client, upstream));
        byte[] answer = upstream.getInputStream().readAllBytes();
        if (fault == Fault.PASS) {
          client.getOutputStream().write(answer);
        } else if (fault == Fault.ANSWER_503) {
          client.getOutputStream().write(UNAVAILABLE);
        }
      }
    } catch (IOException gone) {
      // Either end may leave when it likes; that is what this is for.
    }
  }

  // A client that goes away must look gone to the server too.
  private static void closeWithClient(Socket client, Socket upstream) {
    try (upstream) {
      client.getInputStream().read();
    } catch (IOException gone) {
      // As above.
    }
  }

  private static byte[] message(InputStream input) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    String head = "";
    while (!head.endsWith("\r\n\r\n")) {
      int next = input.read();
      if (next < 0) {
        throw new IOException("cut short");
      }
      bytes.write(next);
      head = bytes.toString(StandardCharsets.ISO_8859_1);
    }
    Matcher length = CONTENT_LENGTH.matcher(head);
    bytes.write(input.readNBytes(length.find() ? Integer.parseInt(length.group(1)) : 0));
    return bytes.toByteArray();
  }

  private static void daemon(Runnable task) {
    Thread thread = new Thread(task, "fault-proxy");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void close() {
    try {
      listener.close();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
