package dev.agwp.server.testing;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Requests that no HTTP client would send, byte for byte. */
public final class RawHttp {
  private static final Pattern CONTENT_LENGTH = Pattern.compile("(?i)\r\ncontent-length: (\\d+)\r\n");
  private static final int ANSWER_MS_MAX = 20_000;

  private final URI server;

  public RawHttp(URI server) {
    this.server = server;
  }

  public String send(byte[] request) {
    try (Socket socket = new Socket(server.getHost(), server.getPort())) {
      socket.setSoTimeout(ANSWER_MS_MAX);
      socket.getOutputStream().write(request);
      socket.getOutputStream().flush();
      return answer(socket.getInputStream());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  /** One answer, to the end of its body or of the connection. */
  public static String answer(InputStream input) throws IOException {
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    int bodyBytes = -1;
    for (int next = input.read(); next >= 0; next = input.read()) {
      answer.write(next);
      if (next == '\n' && bodyBytes < 0 && answer.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
        Matcher length = CONTENT_LENGTH.matcher(answer.toString(StandardCharsets.ISO_8859_1));
        bodyBytes = length.find() ? Integer.parseInt(length.group(1)) : Integer.MAX_VALUE;
      } else if (bodyBytes > 0) {
        bodyBytes--;
      }
      if (bodyBytes == 0) {
        break;
      }
    }
    return answer.toString(StandardCharsets.UTF_8);
  }

  public String send(String request) {
    return send(request.getBytes(StandardCharsets.ISO_8859_1));
  }

  /** A request with this first line, more header lines each ended by CRLF, and a body. */
  public String send(String firstLine, String headers, byte[] body) {
    byte[] head = (firstLine + "\r\nHost: agwp\r\nConnection: close\r\n" + headers + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    byte[] request = new byte[head.length + body.length];
    System.arraycopy(head, 0, request, 0, head.length);
    System.arraycopy(body, 0, request, head.length, body.length);
    return send(request);
  }

  public String post(String path, String contentType, byte[] body) {
    return send("POST " + path + " HTTP/1.1", "Content-Type: " + contentType + "\r\nContent-Length: " + body.length + "\r\n", body);
  }
}
