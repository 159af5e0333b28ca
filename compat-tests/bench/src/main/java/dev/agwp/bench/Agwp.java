package dev.agwp.bench;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;

/** The product: its runnable jar on a database, and the messages its callers send. */
final class Agwp implements JobServer {
  private static final int JOBS_PER_ENQUEUE = 1_000;
  private static final int ATTESTATION_BYTES = 1_024;
  private static final String ATTESTATION = Base64.getEncoder().encodeToString(statement().getBytes(StandardCharsets.US_ASCII));
  static final String PAYLOAD = "{\"path\":\"" + "p".repeat(88) + "\"}";

  private final String name;
  private final Path jar;
  private final Storage storage;
  private ChildProcess process;
  private String jdbcUrl;
  private String firstLine = "";

  /** Makes the database it runs on. */
  interface Storage {
    String create() throws IOException, SQLException;

    /** The file of statements that empties it. */
    String emptying();
  }

  Agwp(String name, Path jar, Storage storage) {
    this.name = name;
    this.jar = jar;
    this.storage = storage;
  }

  static List<String> java() {
    return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx512m", "-XX:+UseParallelGC");
  }

  /** A real one: what says that it is an in-toto Statement is read. */
  private static String statement() {
    String statement = "{\"_type\":\"https://in-toto.io/Statement/v1\",\"subject\":[{\"digest\":{\"sha256\":\"" + "ab".repeat(32)
        + "\"}}],\"predicateType\":\"https://example.com/measured\",\"predicate\":{\"text\":\"%s\"}}";
    return statement.formatted("a".repeat(ATTESTATION_BYTES - statement.formatted("").length()));
  }

  /** What completes a claimed job, with the token of its claim and an attestation. */
  static String completion(String worker, Claimed job) {
    return "{\"worker\":\"" + worker + "\",\"outcome\":\"passed\",\"fencing_token\":" + job.token() + ",\"attestation\":"
        + "{\"media_type\":\"application/vnd.in-toto+json\",\"body\":\"" + ATTESTATION + "\"}}";
  }

  static String enqueueing(String queue) {
    return "{\"queue\":\"" + queue + "\",\"payload\":" + PAYLOAD + "}";
  }

  @Override
  public URI uri() throws IOException, SQLException {
    if (process == null) {
      jdbcUrl = storage.create();
      List<String> command = new ArrayList<>(java());
      Collections.addAll(command, "-jar", jar.toString(), "serve", "--port", "0", "--db", jdbcUrl);
      process = ChildProcess.start(name, command);
      firstLine = process.lineWith(" serves ");
    }
    return URI.create(firstLine.substring(firstLine.lastIndexOf(' ') + 1));
  }

  /** Known once {@link #uri} was asked for. */
  String jdbcUrl() {
    return jdbcUrl;
  }

  /** What its heap holds when all that nobody needs is collected; its last line says so, in bytes. */
  long liveHeapBytes() throws IOException, SQLException {
    uri();
    return Long.parseLong(jcmd("Total ", "GC.class_histogram").trim().split("\\s+")[2]);
  }

  /** Has its JVM do something; answers the line of what that prints which holds this text. */
  String jcmd(String telling, String... request) throws IOException {
    List<String> command = new ArrayList<>(
        List.of(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), Long.toString(pid())));
    Collections.addAll(command, request);
    try (ChildProcess asked = ChildProcess.start("jcmd", command)) {
      return asked.lineWith(telling);
    }
  }

  /** Known once {@link #uri} was asked for. */
  long pid() {
    return process.pid();
  }

  @Override
  public String version() {
    return firstLine.replaceFirst(" serves .*", "");
  }

  @Override
  public void fill(String queue, int jobs) throws IOException, SQLException {
    uri();
    try (Connection connection = DriverManager.getConnection(jdbcUrl)) {
      Sql.run(connection, storage.emptying());
    }
    enqueue(queue, jobs);
  }

  /** Adds jobs to those that are there. */
  void enqueue(String queue, int jobs) throws IOException, SQLException {
    try (LeanHttp http = new LeanHttp(uri())) {
      for (int left = jobs; left > 0; left -= JOBS_PER_ENQUEUE) {
        List<String> some = Collections.nCopies(Math.min(left, JOBS_PER_ENQUEUE), enqueueing(queue));
        http.post("/v1/jobs/batch", "{\"jobs\":[" + String.join(",", some) + "]}");
      }
    }
  }

  @Override
  public void close() {
    if (process != null) {
      process.close();
    }
  }
}
