package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.PrivateAuthority;
import dev.agwp.sdk.testing.RecordingServer;
import dev.agwp.sdk.testing.RecordingServer.Answer;
import dev.agwp.sdk.testing.RecordingServer.Seen;
import dev.agwp.sdk.testing.ServerProcess;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The token a client sends: when, where to, and that nobody else gets to see it. */
final class TokenTest {
  private static final String SECRET = "jc_7_very-secret";
  private static final Answer JOB = new Answer(200, "{\"job_id\": \"j\", \"queue\": \"q\", \"state\": \"queued\", \"attempts\": 0}");
  private static final String CLAIMED = "{\"jobs\": [{\"job_id\": \"j\", \"queue\": \"q\", \"state\": \"claimed\", \"attempts\": 1}]}";

  @Test
  void the_token_goes_with_every_request() {
    try (RecordingServer server = new RecordingServer(request -> JOB);
        AgwpClient client = AgwpClient.builder(server.uri()).token(SECRET).build()) {
      client.enqueueJob(new EnqueueJobRequest().queue("q"));
      client.getJob("j");
      client.getAttestation("j");
      client.getQueue("q");

      assertThat(server.seen()).hasSize(4).allMatch(request -> ("Bearer " + SECRET).equals(request.authorization()));
    }
  }

  @Test
  void without_a_token_none_is_sent() {
    try (RecordingServer server = new RecordingServer(request -> JOB);
        AgwpClient client = AgwpClient.builder(server.uri()).build()) {
      client.getJob("j");

      assertThat(server.seen()).containsExactly(new Seen("GET", "/v1/jobs/j", null));
    }
  }

  @Test
  void a_changed_token_is_sent_from_the_next_request_on() {
    AtomicReference<String> current = new AtomicReference<>("first");
    try (RecordingServer server = new RecordingServer(request -> JOB);
        AgwpClient client = AgwpClient.builder(server.uri()).token(current::get).build()) {
      client.getJob("j");
      current.set("second");
      client.getJob("j");

      assertThat(server.seen()).extracting(Seen::authorization).containsExactly("Bearer first", "Bearer second");
    }
  }

  @ParameterizedTest
  @CsvSource({"401, unauthenticated", "403, permission_denied"})
  void a_refused_caller_is_told_so_and_the_call_is_not_repeated(int status, String code) {
    try (RecordingServer server = new RecordingServer(request -> RecordingServer.refusal(status, code));
        AgwpClient client = AgwpClient.builder(server.uri()).token(SECRET).build()) {
      AccessRefusedException refused = catchThrowableOfType(AccessRefusedException.class, () -> client.getJob("j"));

      assertThat(refused.code()).isEqualTo(code);
      assertThat(refused.status()).isEqualTo(status);
      assertThat(refused).hasMessage("not with this token");
      assertThat(server.seen()).hasSize(1);
      assertThat(everyWordOf(refused)).doesNotContain(SECRET);
    }
  }

  @Test
  void a_worker_that_is_refused_ends_and_makes_no_failure_of_its_outcome() {
    List<String> heard = new CopyOnWriteArrayList<>();
    WorkerListener listener = new WorkerListener() {
      @Override
      public void unknown(Job job, Outcome outcome) {
        heard.add("unknown " + outcome.verdictWord());
      }
    };
    try (RecordingServer server = new RecordingServer(request -> request.path().endsWith("/claim")
            && "Bearer good".equals(request.authorization()) ? new Answer(200, CLAIMED) : RecordingServer.refusal(401, "unauthenticated"))) {
      List<String> tokens = new ArrayList<>(List.of("good"));
      try (AgwpClient client = AgwpClient.builder(server.uri()).token(() -> tokens.get(0)).build();
          Worker worker = Worker.builder(client, "w", List.of("q")).listener(listener).handler(job -> {
            tokens.set(0, "revoked");
            return Outcome.passed("done");
          })) {
        assertThatThrownBy(worker::run).isInstanceOf(AccessRefusedException.class);
      }
      assertThat(heard).containsExactly("unknown passed");
      assertThat(server.seen()).noneMatch(request -> request.path().endsWith("/fail"));
      assertThat(server.seen().size()).as("it does not ask again and again").isLessThan(8);
    }
  }

  @Test
  void a_source_that_gives_no_token_ends_the_call_unsent() {
    try (RecordingServer server = new RecordingServer(request -> JOB);
        AgwpClient failing = AgwpClient.builder(server.uri()).token(() -> {
          throw new IllegalStateException(SECRET);
        }).build();
        AgwpClient empty = AgwpClient.builder(server.uri()).token(() -> "").build()) {
      for (AgwpClient client : List.of(failing, empty)) {
        assertThatThrownBy(() -> client.getJob("j")).isInstanceOf(NoAnswerException.class)
            .hasMessageContaining("the source of the token").hasMessageNotContaining(SECRET);
        assertThatThrownBy(() -> client.getAttestation("j")).isInstanceOf(NoAnswerException.class);
      }
      assertThat(server.seen()).isEmpty();
    }
  }

  @Test
  void nothing_that_is_printed_or_thrown_shows_the_token() {
    AgwpClient.Builder builder = AgwpClient.builder(URI.create("http://127.0.0.1:1")).token(SECRET).triesMax(1);
    try (AgwpClient client = builder.build()) {
      assertThat(builder + " " + client).doesNotContain(SECRET);
      assertThat(everyWordOf(catchThrowable(() -> client.getJob("j")))).doesNotContain(SECRET);
    }
    for (String malformed : new String[] {SECRET + "\n", SECRET + " x", "ü" + SECRET, ""}) {
      assertThat(everyWordOf(catchThrowable(() -> builder.token(malformed)))).contains("a token must be").doesNotContain(SECRET);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://agwp.example", "http://10.0.0.1:8080", "http://127.example", "http://localhost.example", "http://[::2]"})
  void a_token_is_not_sent_readable_to_another_machine(String server) {
    AgwpClient.Builder builder = AgwpClient.builder(URI.create(server)).token(SECRET);

    assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("use https").hasMessageNotContaining(SECRET);
    assertThatCode(() -> builder.allowInsecureToken().build().close()).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://agwp.example", "http://localhost:8080", "http://127.0.0.2", "http://[::1]:8080"})
  void a_token_is_sent_over_https_and_within_the_machine(String server) {
    assertThatCode(() -> AgwpClient.builder(URI.create(server)).token(SECRET).build().close()).doesNotThrowAnyException();
  }

  @Test
  void a_ca_file_says_whom_to_trust(@TempDir Path folder) throws IOException {
    PrivateAuthority authority = PrivateAuthority.in(folder);
    try (ServerProcess server = ServerProcess.startWith(folder, "--tls-cert", authority.certificate().toString(),
        "--tls-key", authority.key().toString());
        AgwpClient trusting = AgwpClient.builder(server.uri()).caFile(authority.ca()).build();
        AgwpClient other = AgwpClient.builder(server.uri()).triesMax(1).build()) {
      assertThat(trusting.listQueues(null, null).getQueues()).isEmpty();
      assertThatThrownBy(() -> other.listQueues(null, null)).isInstanceOf(NoAnswerException.class);
    }
    URI server = URI.create("https://127.0.0.1:1");
    Path empty = Files.createFile(folder.resolve("empty.pem"));
    assertThatThrownBy(() -> AgwpClient.builder(server).caFile(empty)).hasMessageContaining("empty.pem holds no certificate");
    assertThatThrownBy(() -> AgwpClient.builder(server).caFile(folder.resolve("none"))).hasMessageContaining("cannot read");
  }

  private static String everyWordOf(Throwable thrown) {
    StringWriter words = new StringWriter();
    thrown.printStackTrace(new PrintWriter(words));
    return words.toString();
  }
}
