package dev.agwp.bench;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** HTTP/1.1 over one kept connection with as little as it takes. */
final class LeanHttp implements HttpCaller {
  private static final int TIMEOUT_MS = 60_000;
  private static final String LENGTH = "content-length:";
  private static final String CHUNKED = "transfer-encoding: chunked";
  private static final int HEXADECIMAL = 16;

  private final Socket socket = new Socket();
  private final InputStream in;
  private final String host;

  LeanHttp(URI server) throws IOException {
    host = server.getAuthority();
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MS);
    socket.connect(new InetSocketAddress(server.getHost(), server.getPort()), TIMEOUT_MS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  @Override
  public String post(String path, String json) throws IOException {
    return call("POST " + path + " HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nContent-Length: "
        + json.length() + "\r\n\r\n" + json);
  }

  String get(String path) throws IOException {
    return call("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
  }

  private String call(String request) throws IOException {
    // All that is sent is ASCII, so characters are bytes.
    socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
    String status = line();
    int length = 0;
    boolean chunked = false;
    for (String header = line(); !header.isEmpty(); header = line()) {
      chunked |= header.equalsIgnoreCase(CHUNKED);
      if (header.regionMatches(true, 0, LENGTH, 0, LENGTH.length())) {
        length = Integer.parseInt(header.substring(LENGTH.length()).strip());
      }
    }
    String body = new String(chunked ? chunks() : in.readNBytes(length), StandardCharsets.UTF_8);
    if (!status.startsWith("HTTP/1.1 2")) {
      throw new IOException(status + " " + body);
    }
    return body;
  }

  private byte[] chunks() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    int size;
    do {
      size = Integer.parseInt(line(), HEXADECIMAL);
      body.write(in.readNBytes(size));
      line();
    } while (size > 0);
    return body.toByteArray();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int next = in.read(); next != '\n'; next = in.read()) {
      if (next < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (next != '\r') {
        line.append((char) next);
      }
    }
    return line.toString();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
