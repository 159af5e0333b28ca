package dev.agwp.bench;

import dev.agwp.bench.Contender.NotOffered;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Measures AGWP and what a user would pick instead, in one run: round after round, each contender once a round. */
@Command(name = "run", mixinStandardHelpOptions = true, sortOptions = false,
    description = "Measures AGWP and what a user would pick instead; the report is target/bench.md, .json and .svg.")
public final class Bench implements Callable<Integer> {
  static final Path TARGET = Path.of("target").toAbsolutePath();
  /** For database files; the run script empties it. */
  static final Path SCRATCH = TARGET.resolve("scratch");
  private static final int SAMPLES_MAX = 300;
  private static final int JOBS_PER_SAMPLE = 10;
  private static final int QUICK_JOBS = 400;
  /**
   * The round that does not count repeats short runs until so many in a row were no faster than the best before, since a JVM goes on
   * compiling for long; at most for as many seconds as are given. Every other run has few callers: with many, its compiler gets no processor.
   */
  private static final int WARM_UP_RUNS = 6;
  private static final int WARM_UP_CALLERS = 2;
  private static final double FASTER = 1.03;
  private static final int WARM_UP_JOBS = 600;

  @Option(names = "--rounds", paramLabel = "N", defaultValue = "3", description = "Rounds that count (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(names = "--jobs", paramLabel = "N", defaultValue = "2400",
      description = "Jobs of one measurement; the fast get a multiple (default: ${DEFAULT-VALUE}).")
  private int jobs;

  @Option(names = "--only", paramLabel = "NAME", split = ",",
      description = "Only rows whose id, and figures whose name, starts so, as agwp,floor-64,a waiting claim; else all but flat.")
  private List<String> only = List.of();

  @Option(names = "--warm-up-seconds", paramLabel = "N", defaultValue = "90",
      description = "How long each row is warmed up at most (default: ${DEFAULT-VALUE}).")
  private int warmUpSeconds;

  @Option(names = "--bloat-minutes", paramLabel = "N", defaultValue = "60",
      description = "How long jobs go through at full speed before flat-bloated is measured (default: ${DEFAULT-VALUE}).")
  private int bloatMinutes;

  @Option(names = "--quick", description = "One round of " + QUICK_JOBS + " jobs: shows that all works, not how fast.")
  private boolean quick;

  @Option(names = "--list", description = "Print what can be measured and measure nothing.")
  private boolean list;

  @Option(names = "--server", paramLabel = "JAR", required = true, hidden = true)
  private Path server;

  @Option(names = "--earlier", paramLabel = "JAR", hidden = true)
  private Path earlier;

  @Option(names = "--commit", defaultValue = "unknown", hidden = true)
  private String commit;

  private Results results;

  public static void main(String[] args) {
    System.exit(new CommandLine(new Bench()).execute(args));
  }

  @Override
  public Integer call() throws IOException, SQLException, InterruptedException {
    if (quick) {
      rounds = 1;
      jobs = QUICK_JOBS;
      warmUpSeconds = 1;
    }
    Files.createDirectories(SCRATCH);
    boolean allRan;
    try (Postgres postgres = Postgres.start(); Roster roster = new Roster(postgres, server, earlier, Duration.ofMinutes(bloatMinutes))) {
      List<Row> rows = roster.rows().stream().filter(row -> isWanted(row.id())).toList();
      List<Probe> probes = roster.probes().stream().filter(probe -> isWanted(probe.name())).toList();
      if (list) {
        rows.forEach(row -> System.out.println(row.id()));
        probes.forEach(probe -> System.out.println(probe.name()));
        return 0;
      }
      if (rows.isEmpty() && probes.isEmpty()) {
        throw new CommandLine.ParameterException(new CommandLine(this), "nothing measured begins with " + String.join(" or ", only));
      }
      results = new Results(rows);
      allRan = measure(rows, probes);
      Machine machine = Machine.here(postgres, commit);
      new Report(machine, rounds, results).write();
    }
    System.out.println(Files.readString(TARGET.resolve("bench.md")));
    return allRan ? 0 : 1;
  }

  private boolean isWanted(String id) {
    return only.isEmpty() ? !id.startsWith(Row.FLAT) : only.stream().anyMatch(id::startsWith);
  }

  /** Whether nothing failed; what this machine does not have is no failure. */
  private boolean measure(List<Row> rows, List<Probe> probes) throws InterruptedException {
    boolean allRan = true;
    for (int round = 0; round <= rounds; round++) {
      System.out.println(round == 0 ? "Warming up" : "Round " + round + " of " + rounds);
      // Every other round in reverse: nobody is always measured after the same one.
      List<Row> order = new ArrayList<>(rows);
      if (round % 2 == 1) {
        Collections.reverse(order);
      }
      for (Row row : order) {
        allRan &= attempt(row.id(), round, counts -> measure(row, counts));
      }
      for (Probe probe : probes) {
        allRan &= attempt(probe.name(), round, counts -> measure(probe, counts));
      }
    }
    return allRan;
  }

  private void measure(Row row, boolean counts) throws IOException, SQLException, InterruptedException {
    if (!counts) {
      warmUp(row);
      return;
    }
    double perSecond = row.contender().run(jobs * row.jobsFactor(), row.callers()).perSecond();
    System.out.printf("  %-24s %10s jobs/s%n", row.id(), Spread.shown(perSecond));
    results.add(row, perSecond);
  }

  private void warmUp(Row row) throws IOException, SQLException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(warmUpSeconds);
    double best = 0;
    int noFaster = 0;
    do {
      row.contender().run(WARM_UP_JOBS, Math.min(WARM_UP_CALLERS, row.callers()));
      double perSecond = row.contender().run(WARM_UP_JOBS * row.jobsFactor(), row.callers()).perSecond();
      noFaster = perSecond > best * FASTER ? 0 : noFaster + 1;
      best = Math.max(best, perSecond);
    } while (row.contender().keepsWarm() && noFaster < WARM_UP_RUNS && System.nanoTime() < end);
    System.out.printf("  %-24s is warm%n", row.id());
  }

  private void measure(Probe probe, boolean counts) throws IOException, SQLException, InterruptedException {
    if (!counts) {
      probe.warmUp(Duration.ofSeconds(warmUpSeconds));
    }
    var figures = probe.run(Math.min(SAMPLES_MAX, jobs / JOBS_PER_SAMPLE));
    System.out.printf("  %s %s%n", probe.name(), figures);
    if (counts) {
      results.add(probe, figures);
    }
  }

  private boolean attempt(String what, int round, Measuring measuring) throws InterruptedException {
    if (results.isOut(what)) {
      return true;
    }
    try {
      measuring.run(round > 0);
      return true;
    } catch (NotOffered missing) {
      System.out.printf("  %-24s skipped: %s%n", what, missing.getMessage());
      results.notMeasured(what, "skipped, " + missing.getMessage());
      return true;
    } catch (IOException | SQLException failed) {
      System.out.printf("  %-24s FAILED: %s%n", what, failed);
      results.notMeasured(what, "failed, " + failed);
      return false;
    }
  }

  private interface Measuring {
    void run(boolean counts) throws IOException, SQLException, InterruptedException;
  }
}
