package dev.agwp.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.RawHttp;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Clients that send slowly, read slowly or only hold connections are cut off at a limit, and nobody else notices them. */
@Isolated("measures time, or needs the machine for itself")
final class HostileClientsTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(400);
  private static final String HEAD = "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n";
  private static final String BODY = "{\"queue\": \"q\"}";
  private static final int MEGABYTE = 1024 * 1024;

  private final TestDatabase database = TestDatabase.sqlite();
  private final List<Socket> sockets = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
    database.close();
  }

  @Test
  void hundreds_of_slow_clients_cost_the_others_nothing() throws IOException {
    Api api = database.serve();
    for (int i = 0; i < 300; i++) {
      send(connect(api), HEAD + "Content-Length: 100\r\n\r\n{");
      send(connect(api), HEAD);
      send(connect(api), HEAD + "Transfer-Encoding: chunked\r\n\r\n5\r\n{\"qu");
    }
    awaitOpen(api, 900);

    long began = System.nanoTime();
    for (int i = 0; i < 20; i++) {
      String jobId = api.aClaimedJob("w" + i);
      api.call("complete", jobId, "w" + i).ok();
    }

    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(5));
    awaitOpen(api, 900);
    assertThat(database.number("select count(*) from job where state = 'succeeded'")).isEqualTo(20);
    assertThat(database.number("select count(*) from job")).isEqualTo(20);
  }

  @Test
  void a_head_that_does_not_come_in_time_ends_its_connection() throws IOException {
    Api api = database.serve(new Limits(100, 100, SHORT, LONG, LONG, LONG, MEGABYTE));
    Socket silent = connect(api);
    send(silent, HEAD);
    Socket dripping = connect(api);
    send(dripping, HEAD + "X: ");

    assertThat(silent.getInputStream().read()).isEqualTo(-1);
    await().pollInterval(Duration.ofMillis(20)).until(() -> isEnded(dripping, "x"));
    assertThat(ended(api, "slow_head")).isEqualTo(2);
  }

  @Test
  void a_body_that_does_not_come_in_time_is_refused_and_ends_its_connection() throws IOException {
    Api api = database.serve(new Limits(100, 100, LONG, SHORT, LONG, LONG, MEGABYTE));
    List<String> before = database.everything();
    Socket silent = connect(api);
    send(silent, HEAD + "Content-Length: 14\r\n\r\n{");
    Socket dripping = connect(api);
    send(dripping, HEAD + "Content-Length: 100000\r\n\r\n{");

    await().pollInterval(Duration.ofMillis(20)).until(() -> isEnded(dripping, " "));
    ErrorLeakTest.assertProblem(RawHttp.answer(silent.getInputStream()), 400, "invalid_argument");

    assertThat(silent.getInputStream().read()).isEqualTo(-1);
    assertThat(ended(api, "slow_body")).isEqualTo(2);
    assertThat(database.everything()).isEqualTo(before);
  }

  @Test
  void what_is_left_of_a_refused_body_does_not_keep_its_connection() throws IOException {
    Api api = database.serve(new Limits(100, 100, LONG, SHORT, LONG, LONG, MEGABYTE));
    Socket large = connect(api);
    send(large, HEAD + "Content-Length: 1000000000\r\n\r\n{");

    ErrorLeakTest.assertProblem(RawHttp.answer(large.getInputStream()), 413, "payload_too_large");

    await().pollInterval(Duration.ofMillis(20)).until(() -> isEnded(large, " "));
  }

  @Test
  void an_idle_connection_is_ended() throws IOException {
    Api api = database.serve(new Limits(100, 100, LONG, LONG, LONG, Duration.ofSeconds(1), MEGABYTE));
    Socket never = connect(api);
    Socket once = connect(api);
    send(once, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    assertThat(RawHttp.answer(once.getInputStream())).startsWith("HTTP/1.1 200");

    assertThat(never.getInputStream().read()).isEqualTo(-1);
    assertThat(once.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void a_client_that_does_not_read_its_answer_is_cut_off() throws IOException {
    Api api = database.serve(new Limits(100, 100, LONG, LONG, SHORT, LONG, 1000L * MEGABYTE));
    largeJobs(api);
    for (int i = 0; i < 5; i++) {
      send(connectReadingLittle(api), "GET /v1/jobs HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    await().until(() -> ended(api, "slow_reader") == 5);
    assertThat(api.claim("w1")).hasSize(1);
  }

  @Test
  void when_unread_answers_take_too_much_memory_the_largest_goes() throws IOException {
    Api api = database.serve(new Limits(100, 100, LONG, LONG, LONG, LONG, MEGABYTE));
    largeJobs(api);

    send(connectReadingLittle(api), "GET /v1/jobs HTTP/1.1\r\nHost: a\r\n\r\n");

    await().until(() -> ended(api, "unread_answers") == 1);
  }

  @Test
  void a_client_that_asks_on_without_reading_is_cut_off() throws IOException {
    Api api = database.serve();
    largeJobs(api);
    Socket socket = connectReadingLittle(api);

    send(socket, "GET /v1/jobs HTTP/1.1\r\nHost: a\r\n\r\n".repeat(10));

    await().until(() -> ended(api, "unread_answers") == 1);
  }

  @Test
  void a_large_answer_reaches_a_client_that_reads_with_pauses() throws IOException {
    Api api = database.serve();
    largeJobs(api);
    long expected = api.get("/v1/jobs").http().body().length;
    Socket socket = connectReadingLittle(api);
    send(socket, "GET /v1/jobs HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    await().until(() -> socket.getInputStream().available() > 0);

    assertThat(socket.getInputStream().readAllBytes().length).isGreaterThan((int) expected);
  }

  @Test
  void requests_sent_at_once_are_answered_one_after_another() throws IOException {
    Api api = database.serve();
    Socket socket = connect(api);
    String request = HEAD + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY;

    send(socket, request + request + "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\nGET /healthz HTT");

    assertThat(RawHttp.answer(socket.getInputStream())).startsWith("HTTP/1.1 201");
    assertThat(RawHttp.answer(socket.getInputStream())).startsWith("HTTP/1.1 201");
    assertThat(RawHttp.answer(socket.getInputStream())).startsWith("HTTP/1.1 200");
    send(socket, "P/1.1\r\nHost: a\r\n\r\n");
    assertThat(RawHttp.answer(socket.getInputStream())).startsWith("HTTP/1.1 200");
  }

  @Test
  void a_request_that_comes_in_pieces_is_served() throws IOException {
    Api api = database.serve();
    Socket lengthGiven = connect(api);
    Socket chunked = connect(api);
    for (char c : (HEAD + "Content-Length: " + BODY.length() + "\r\n\r\n" + BODY).toCharArray()) {
      send(lengthGiven, String.valueOf(c));
    }
    for (char c : (HEAD + "Transfer-Encoding: chunked\r\n\r\n4\r\n" + BODY.substring(0, 4) + "\r\na\r\n" + BODY.substring(4)
        + "\r\n0\r\n\r\n").toCharArray()) {
      send(chunked, String.valueOf(c));
    }

    assertThat(RawHttp.answer(lengthGiven.getInputStream())).startsWith("HTTP/1.1 201");
    assertThat(RawHttp.answer(chunked.getInputStream())).startsWith("HTTP/1.1 201");
  }

  @Test
  void a_chunked_request_is_served_wherever_it_is_cut() throws IOException {
    Api api = database.serve();
    Socket other = connect(api);
    String request = HEAD + "Transfer-Encoding: chunked\r\n\r\n4\r\n" + BODY.substring(0, 4) + "\r\na\r\n" + BODY.substring(4)
        + "\r\n0\r\n\r\n";
    List<Socket> clients = new ArrayList<>();
    for (int cut = 1; cut < request.length(); cut++) {
      Socket client = connect(api);
      client.setTcpNoDelay(true);
      send(client, request.substring(0, cut));
      clients.add(client);
    }
    // Answered after the server has read what came before.
    assertThat(healthy(other)).isTrue();
    for (int cut = 1; cut < request.length(); cut++) {
      send(clients.get(cut - 1), request.substring(cut, cut + 1));
    }
    assertThat(healthy(other)).isTrue();
    for (int cut = 1; cut < request.length(); cut++) {
      send(clients.get(cut - 1), request.substring(cut + 1));

      assertThat(RawHttp.answer(clients.get(cut - 1).getInputStream())).as("cut at %s", cut).startsWith("HTTP/1.1 201");
    }
  }

  @Test
  void a_client_that_asks_first_is_told_to_go_on() throws IOException {
    Api api = database.serve();
    Socket socket = connect(api);

    send(socket, HEAD + "Expect: 100-continue\r\nContent-Length: " + BODY.length() + "\r\n\r\n");
    assertThat(new String(socket.getInputStream().readNBytes(25), StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 100 Continue\r\n\r\n");
    send(socket, BODY);

    assertThat(RawHttp.answer(socket.getInputStream())).startsWith("HTTP/1.1 201");
  }

  @Test
  void unfinished_bodies_beyond_the_memory_for_them_are_refused_for_now() throws IOException {
    Api api = database.serve(new Limits(100, 100, LONG, LONG, LONG, LONG, 1000));
    Socket first = connect(api);
    Socket second = connect(api);
    send(first, HEAD + "Content-Length: 2000\r\n\r\n" + " ".repeat(900));
    send(second, HEAD + "Content-Length: 2000\r\n\r\n" + " ".repeat(900));
    await().until(() -> first.getInputStream().available() + second.getInputStream().available() > 0);
    boolean firstRefused = first.getInputStream().available() > 0;

    String answer = RawHttp.answer((firstRefused ? first : second).getInputStream());

    ErrorLeakTest.assertProblem(answer, 503, "unavailable");
    assertThat(answer).contains("Retry-After: ");
    (firstRefused ? second : first).close();
    await().until(() -> {
      Socket third = connect(api);
      send(third, HEAD + "Content-Length: 14\r\n\r\n" + BODY.substring(0, 1));
      send(third, BODY.substring(1));
      return RawHttp.answer(third.getInputStream()).startsWith("HTTP/1.1 201");
    });
  }

  @Test
  void a_request_that_would_take_too_much_memory_beside_others_is_refused_for_now() throws IOException, SQLException {
    Api api = database.serve(new Limits(100, 100, LONG, LONG, LONG, LONG, MEGABYTE));
    String large = "{\"queue\": \"q\", \"payload\": {\"a\": [" + "{},".repeat(2_000) + "{}]}}";
    String request = HEAD + "Content-Length: " + large.length() + "\r\n\r\n" + large;
    try (Connection writer = database.connect()) {
      writer.setAutoCommit(false);
      writer.createStatement().execute("update queue set paused = paused");
      Socket waits = connect(api);
      send(waits, request);
      await().until(() -> metric(api, "agwp_calls_in_work ") == 1);

      String answer = new RawHttp(api.base()).send(request);

      ErrorLeakTest.assertProblem(answer, 503, "unavailable");
      assertThat(answer).contains("Retry-After: ");
      api.get("/v1/jobs").ok();
      writer.rollback();
      assertThat(RawHttp.answer(waits.getInputStream())).startsWith("HTTP/1.1 201");
    }
    assertThat(new RawHttp(api.base()).send(request)).startsWith("HTTP/1.1 201");
  }

  @Test
  void a_connection_too_many_is_closed_as_it_comes() throws IOException {
    Limits limits = new Limits(3, 100, LONG, LONG, LONG, LONG, MEGABYTE);
    assertThatOneConnectionIsTooMany(database.serve(limits).base());
  }

  @Test
  void one_address_can_be_held_to_fewer_connections() throws IOException {
    Limits limits = new Limits(100, 3, LONG, LONG, LONG, LONG, MEGABYTE);
    assertThatOneConnectionIsTooMany(database.serve(limits).base());
  }

  private void assertThatOneConnectionIsTooMany(URI server) throws IOException {
    List<Socket> served = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      served.add(connect(server));
      assertThat(healthy(served.get(i))).isTrue();
    }

    assertThat(isRefused(connect(server))).isTrue();
    assertThat(healthy(served.get(0))).isTrue();
    served.get(1).close();
    await().until(() -> !isRefused(connect(server)));
  }

  private static boolean healthy(Socket socket) throws IOException {
    send(socket, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
    return RawHttp.answer(socket.getInputStream()).startsWith("HTTP/1.1 200");
  }

  private static boolean isRefused(Socket socket) throws IOException {
    try (socket) {
      return !healthy(socket);
    } catch (SocketException reset) {
      return true;
    }
  }

  private static void largeJobs(Api api) {
    String payload = "{\"a\": \"" + "x".repeat(250_000) + "\"}";
    for (int i = 0; i < 40; i++) {
      api.aQueuedJob("\"payload\": " + payload);
    }
  }

  private Socket connect(Api api) throws IOException {
    return connect(api.base());
  }

  private Socket connect(URI server) throws IOException {
    Socket socket = new Socket(server.getHost(), server.getPort());
    sockets.add(socket);
    socket.setSoTimeout(20_000);
    return socket;
  }

  private Socket connectReadingLittle(Api api) throws IOException {
    Socket socket = new Socket();
    sockets.add(socket);
    socket.setReceiveBufferSize(4_096);
    socket.connect(new InetSocketAddress(api.base().getHost(), api.base().getPort()));
    socket.setSoTimeout(20_000);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** Sends a little more, as a client that means to stay; true once the server has closed the connection. */
  private static boolean isEnded(Socket socket, String more) throws IOException {
    try {
      send(socket, more);
      return socket.getInputStream().available() > 0 || socket.isClosed();
    } catch (SocketException closedByServer) {
      return true;
    }
  }

  private static void awaitOpen(Api api, int atLeast) {
    await().until(() -> metric(api, "agwp_connections_open ") >= atLeast);
  }

  private static int ended(Api api, String why) {
    return (int) metric(api, "agwp_connections_ended_total{why=\"" + why + "\"} ");
  }

  private static double metric(Api api, String name) {
    return new String(api.get("/metrics").http().body(), StandardCharsets.UTF_8).lines()
        .filter(line -> line.startsWith(name)).mapToDouble(line -> Double.parseDouble(line.substring(name.length()))).sum();
  }
}
