package dev.agwp.bench;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedFrame;
import jdk.jfr.consumer.RecordingFile;

/** What a job that is claimed and completed costs each process, and in whose code the server is meanwhile, by Java Flight Recorder. */
record CostOfAJob(String name, Agwp server, Postgres postgres, Way way, int callers) implements Probe {
  private static final int JOBS_PER_SAMPLE = 20;
  private static final double NANOS_PER_MICRO = 1_000;
  private static final String ELSEWHERE = "none of these";
  /** By the beginnings of the names of their classes. A frame of the JDK counts for who called it. */
  private static final Map<String, List<String>> LAYERS = new LinkedHashMap<>();

  static {
    LAYERS.put("validation", List.of("org.hibernate.validator.", "jakarta.validation."));
    LAYERS.put("JSON", List.of("com.fasterxml.jackson."));
    LAYERS.put("the database's driver and pool", List.of("org.postgresql.", "org.sqlite.", "com.zaxxer.hikari."));
    LAYERS.put("MyBatis", List.of("org.apache.ibatis."));
    LAYERS.put("Jersey", List.of("org.glassfish.jersey.", "org.glassfish.hk2.", "org.jvnet.hk2."));
    LAYERS.put("Grizzly", List.of("org.glassfish.grizzly."));
    LAYERS.put("AGWP itself", List.of("dev.agwp."));
  }

  @Override
  public Map<String, Double> run(int samples) throws IOException, SQLException, InterruptedException {
    int jobs = samples * JOBS_PER_SAMPLE;
    URI uri = server.uri();
    String queue = HttpClaims.nextQueue();
    server.fill(queue, jobs);
    ProcessHandle serving = ProcessHandle.of(server.pid()).orElseThrow();
    Path recording = Bench.TARGET.resolve("logs").resolve(name.replaceAll("\\W+", "-") + ".jfr");
    server.jcmd("Started recording", "JFR.start", "name=job", "settings=profile");
    Duration ofServer = used(Stream.of(serving));
    Duration ofDatabase = used(postgres.processes());
    Duration ofLoad = used(Stream.of(ProcessHandle.current()));
    Contender.Result result = Callers.run(jobs, callers, number -> way.caller(HttpCaller.Client.LEAN.connect(uri), queue, "w" + number));
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("time, µs a job", micros(Duration.ofNanos((long) (result.seconds() * 1e9)), result.jobs()));
    figures.put("processor of the server, µs a job", micros(used(Stream.of(serving)).minus(ofServer), result.jobs()));
    figures.put("processor of PostgreSQL, µs a job", micros(used(postgres.processes()).minus(ofDatabase), result.jobs()));
    figures.put("processor of the load, µs a job", micros(used(Stream.of(ProcessHandle.current())).minus(ofLoad), result.jobs()));
    server.jcmd("Stopped recording", "JFR.stop", "name=job", "filename=" + recording);
    addLayers(recording, figures);
    return figures;
  }

  private static Duration used(Stream<ProcessHandle> processes) {
    return processes.map(process -> process.info().totalCpuDuration().orElse(Duration.ZERO)).reduce(Duration.ZERO, Duration::plus);
  }

  private static double micros(Duration all, int jobs) {
    return all.toNanos() / NANOS_PER_MICRO / jobs;
  }

  private static void addLayers(Path recording, Map<String, Double> figures) throws IOException {
    Map<String, Integer> counts = new LinkedHashMap<>();
    LAYERS.keySet().forEach(layer -> counts.put(layer, 0));
    counts.put(ELSEWHERE, 0);
    List<RecordedEvent> samples = RecordingFile.readAllEvents(recording).stream()
        .filter(event -> event.getEventType().getName().equals("jdk.ExecutionSample") && event.getStackTrace() != null)
        .toList();
    samples.forEach(sample -> counts.merge(layer(sample), 1, Integer::sum));
    counts.forEach((layer, count) -> figures.put("of the server's samples: " + layer + ", %", 100.0 * count / samples.size()));
  }

  private static String layer(RecordedEvent sample) {
    for (RecordedFrame frame : sample.getStackTrace().getFrames()) {
      String type = frame.getMethod().getType().getName();
      for (Map.Entry<String, List<String>> layer : LAYERS.entrySet()) {
        if (layer.getValue().stream().anyMatch(type::startsWith)) {
          return layer.getKey();
        }
      }
    }
    return ELSEWHERE;
  }
}
