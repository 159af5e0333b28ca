package dev.agwp.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.RawHttp;
import dev.agwp.server.testing.TestDatabase;
import java.io.IOException;
import java.net.ConnectException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class StoppingServerTest {

  @Test
  void while_a_server_stops_what_is_under_way_is_answered_and_what_comes_is_told_to_come_again() throws IOException, SQLException {
    try (TestDatabase database = TestDatabase.sqlite(); Connection writer = database.connect(); Statement statement = writer.createStatement()) {
      Api api = database.serve();
      statement.execute("begin immediate");
      CompletableFuture<Api.Answer> underWay = api.postLater("/v1/jobs", "{\"queue\": \"q\"}");
      await().until(() -> api.get("/metrics").text().contains("agwp_calls_in_work 1.0"));
      try (Socket open = new Socket(api.base().getHost(), api.base().getPort())) {
        assertThat(listQueues(open)).startsWith("HTTP/1.1 200");

        CompletableFuture<Void> stop = CompletableFuture.runAsync(api.server()::close);

        AtomicReference<String> answer = new AtomicReference<>();
        await().until(() -> {
          answer.set(listQueues(open));
          return !answer.get().startsWith("HTTP/1.1 200");
        });
        ErrorLeakTest.assertProblem(answer.get(), 503, "unavailable");
        assertThat(answer.get()).containsIgnoringCase("\r\nRetry-After: 1\r\n").containsIgnoringCase("\r\nConnection: close\r\n");
        assertThatThrownBy(() -> new Socket(api.base().getHost(), api.base().getPort()).close()).isInstanceOf(ConnectException.class);
        statement.execute("commit");
        assertThat(underWay.join().status()).isEqualTo(201);
        stop.join();
      }
      assertThat(database.number("select count(*) from job")).isEqualTo(1);
    }
  }

  private static String listQueues(Socket open) throws IOException {
    open.getOutputStream().write("GET /v1/queues HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return RawHttp.answer(open.getInputStream());
  }
}
