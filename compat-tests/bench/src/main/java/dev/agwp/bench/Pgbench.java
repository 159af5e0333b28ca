package dev.agwp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** The bare SQL of {@link BarePostgres} under PostgreSQL's own load generator, whose client costs least. */
final class Pgbench implements Contender {
  private static final int RUN_SECONDS_MAX = 120;

  private final Postgres postgres;
  private String version = "";

  Pgbench(Postgres postgres) {
    this.postgres = postgres;
  }

  @Override
  public String name() {
    return "bare SQL, pgbench";
  }

  @Override
  public String version() {
    return version;
  }

  @Override
  public boolean keepsWarm() {
    return false;
  }

  @Override
  public Result run(int jobs, int callers) throws IOException, SQLException, InterruptedException {
    Programs.require("pgbench");
    try (ChildProcess asked = ChildProcess.start("pgbench", List.of("pgbench", "--version"))) {
      version = asked.lineWith("pgbench").replaceFirst(" \\(PostgreSQL\\) (\\S+).*", " $1");
    }
    Path script = Bench.TARGET.resolve("bare.pgbench");
    Files.writeString(script, Sql.named("bare-claim.sql") + "\n\\gset\n" + Sql.named("bare-complete.sql") + ";\n");
    int jobsEach = jobs / callers;
    try (Postgres.Database database = postgres.create()) {
      // A transaction that finds no job would end its client: one spare for each, since the others may hold that many locked.
      BarePostgres.fill(database, (jobsEach + 1) * callers);
      List<String> command = List.of("pgbench", "--no-vacuum", "--protocol=prepared", "--client=" + callers,
          "--jobs=" + Runtime.getRuntime().availableProcessors(), "--transactions=" + jobsEach, "--file=" + script,
          "--define=attestation=" + BarePostgres.ATTESTATION, database.url());
      try (ChildProcess pgbench = ChildProcess.start("pgbench", command).endAfter(RUN_SECONDS_MAX)) {
        String ended = pgbench.lineWith("transactions actually processed");
        if (!ended.endsWith(" " + jobsEach * callers + "/" + jobsEach * callers)) {
          throw new IOException("not every client came to its end: " + ended);
        }
        String tps = pgbench.lineWith("without initial connection time");
        return new Result(jobsEach * callers, jobsEach * callers / Double.parseDouble(tps.split(" ")[2]));
      }
    }
  }
}
