package dev.agwp.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Who is measured, in which order, and the servers that this keeps running meanwhile. */
final class Roster implements AutoCloseable {
  private static final int FEW = 16;
  private static final int MANY = 64;

  private final List<JobServer> servers = new ArrayList<>();
  private final List<Row> rows = new ArrayList<>();
  private final List<Probe> probes = new ArrayList<>();

  /**
   * @param earlier the server of the release before calls were coalesced; null when it could not be built
   * @param bloat how long jobs go through a database at full speed, until it is measured how fast it still is
   */
  Roster(Postgres postgres, Path serverJar, Path earlier, Duration bloat) {
    Agwp agwp = new Agwp("agwp-postgresql", serverJar, new OnPostgres(postgres));
    keep(agwp);
    Agwp agwpSqlite = new Agwp("agwp-sqlite", serverJar, new OnSqlite());
    keep(agwpSqlite);
    addOurs(agwp, agwpSqlite);
    if (earlier != null) {
      JobServer server = keep(new Agwp("agwp-1.2.0", earlier, new OnPostgres(postgres)));
      Contender oneAtATime = over(server, "AGWP of 1.2.0, a commit a call", Way.ONE_AT_A_TIME);
      rows.add(new Row("agwp-1.2.0-16", true, FEW, 1, oneAtATime));
      rows.add(new Row("agwp-1.2.0-64", true, MANY, 1, oneAtATime));
    }
    addFloors(serverJar);
    addBareSql(postgres);
    addPeers(postgres);
    addBacklogs(agwp);
    Agwp bloated = new Agwp("agwp-bloated", serverJar, new OnPostgres(postgres));
    keep(bloated);
    backlog("bloated", new Bloated(bloated, bloat));
    probes.add(new Probes.StartUp("start-up, PostgreSQL", serverJar, new OnPostgres(postgres)));
    probes.add(new Probes.StartUp("start-up, SQLite", serverJar, new OnSqlite()));
    probes.add(new Probes.OneCaller("1 caller, PostgreSQL", agwp));
    probes.add(new Probes.OneCaller("1 caller, SQLite", agwpSqlite));
    probes.add(new Probes.WaitingClaim("a waiting claim, idle system, PostgreSQL", agwp, agwp));
    probes.add(new Probes.WaitingClaim("a waiting claim, idle system, SQLite", agwpSqlite, agwpSqlite));
    JobServer replica = keep(new Agwp("agwp-replica", serverJar, new BesideAnother(agwp)));
    probes.add(new Probes.WaitingClaim("a waiting claim, enqueued on another replica", agwp, replica));
    probes.add(new Probes.EnqueueRate("enqueue, " + FEW + " callers, PostgreSQL", agwp, FEW));
    probes.add(new Probes.EnqueueRate("enqueue, " + FEW + " callers, SQLite", agwpSqlite, FEW));
    probes.add(new CostOfAJob("cost of a job, " + MANY + " callers", agwp, postgres, Way.ONE_AT_A_TIME, MANY));
    probes.add(new CostOfAJob("cost of a job, " + MANY + " callers, claim_next", agwp, postgres, Way.CLAIM_NEXT, MANY));
    probes.add(new Probes.LiveHeap("memory, PostgreSQL", agwp));
    probes.add(new Probes.LiveHeap("memory, SQLite", agwpSqlite));
  }

  List<Row> rows() {
    return rows;
  }

  List<Probe> probes() {
    return probes;
  }

  private void addOurs(JobServer agwp, JobServer agwpSqlite) {
    Contender oneAtATime = over(agwp, "AGWP, one at a time", Way.ONE_AT_A_TIME);
    rows.add(new Row("agwp-16", true, FEW, 1, oneAtATime));
    rows.add(new Row("agwp-64", true, MANY, 1, oneAtATime));
    rows.add(new Row("agwp-64-jdk-client", true, MANY, 1,
        new HttpClaims("AGWP, one at a time, java.net.http as client", agwp, HttpCaller.Client.JDK, Way.ONE_AT_A_TIME)));
    rows.add(new Row("agwp-64-claim-next", true, MANY, 1, over(agwp, "AGWP, complete and claim next in one call", Way.CLAIM_NEXT)));
    rows.add(new Row("agwp-16x32", true, FEW, 1, over(agwp, "AGWP, 32 a claim, completed one by one", Way.MANY_A_CLAIM)));
    rows.add(new Row("agwp-16x32-at-once", true, FEW, 4,
        over(agwp, "AGWP, 32 a claim, completed in one call", Way.MANY_A_CLAIM_COMPLETED_AT_ONCE)));
    Contender onSqlite = over(agwpSqlite, "AGWP on SQLite, one at a time", Way.ONE_AT_A_TIME);
    rows.add(new Row("agwp-sqlite-16", true, FEW, 1, onSqlite));
    rows.add(new Row("agwp-sqlite-64", true, MANY, 1, onSqlite));
  }

  private void addFloors(Path serverJar) {
    JobServer stack = keep(NoOpServer.stack(serverJar));
    JobServer stock = keep(NoOpServer.stockJersey());
    Contender ours = over(stack, "floor: our HTTP stack, no database", Way.ONE_AT_A_TIME);
    Contender jersey = over(stock, "floor: stock Jersey, no database", Way.ONE_AT_A_TIME);
    rows.add(new Row("floor-16", false, FEW, 2, ours));
    rows.add(new Row("floor-64", false, MANY, 2, ours));
    rows.add(new Row("stock-jersey-16", false, FEW, 2, jersey));
    rows.add(new Row("stock-jersey-64", false, MANY, 2, jersey));
  }

  private void addBareSql(Postgres postgres) {
    Contender pgbench = new Pgbench(postgres);
    Contender jdbc = new BarePostgres(postgres, "bare SQL, JDBC", BarePostgres.Statements.ONE_JOB);
    rows.add(new Row("pgbench-16", false, FEW, 1, pgbench));
    rows.add(new Row("pgbench-64", false, MANY, 1, pgbench));
    rows.add(new Row("jdbc-16", false, FEW, 1, jdbc));
    rows.add(new Row("jdbc-64", false, MANY, 1, jdbc));
    rows.add(new Row("jdbc-16x32", false, FEW, 4,
        new BarePostgres(postgres, "bare SQL, JDBC, 32 jobs in two statements", BarePostgres.Statements.MANY_JOBS)));
    rows.add(new Row("sqlite-64", false, MANY, 1, new BareSqlite()));
  }

  private void addBacklogs(Agwp agwp) {
    backlog("1k", new Backlog("beside 1,000 that are claimable", agwp, "backlog-claimable.sql", 1_000));
    backlog("100k", new Backlog("beside 100,000 that are claimable", agwp, "backlog-claimable.sql", 100_000));
    backlog("1m", new Backlog("beside 1,000,000 that are claimable", agwp, "backlog-claimable.sql", 1_000_000));
    backlog("priorities", new Backlog("beside 1,000,000 of 10 priorities", agwp, "backlog-priorities.sql", 1_000_000));
    backlog("scheduled", new Backlog("beside 1,000,000 scheduled for later", agwp, "backlog-scheduled.sql", 1_000_000));
    backlog("ended", new Backlog("beside 1,000,000 that have ended", agwp, "backlog-ended.sql", 1_000_000));
  }

  private void backlog(String id, Contender contender) {
    rows.add(new Row(Row.FLAT + id, true, MANY, 2, contender));
  }

  private void addPeers(Postgres postgres) {
    rows.add(new Row("pg-boss-16", false, FEW, 1, node(postgres, "pg-boss, one at a time", "pg-boss.mjs", "1")));
    rows.add(new Row("pg-boss-16x32", false, FEW, 4, node(postgres, "pg-boss, 32 at a time", "pg-boss.mjs", "32")));
    rows.add(new Row("graphile-16", false, FEW, 1, node(postgres, "graphile-worker, default", "graphile-worker.mjs", "default")));
    rows.add(new Row("graphile-16-tuned", false, FEW, 8,
        node(postgres, "graphile-worker, local queue and batches", "graphile-worker.mjs", "tuned")));
    Contender dbScheduler = new DbScheduler(postgres);
    rows.add(new Row("db-scheduler-16", false, FEW, 1, dbScheduler));
    rows.add(new Row("db-scheduler-64", false, MANY, 1, dbScheduler));
    rows.add(new Row("jobrunr-16", false, FEW, 1, new JobRunrPeer(postgres)));
    rows.add(new Row("river-64", false, MANY, 1, river(postgres, "River, default", "default")));
    rows.add(new Row("river-64-tuned", false, MANY, 2, river(postgres, "River, fetching as often as it can", "tuned")));
    Contender beanstalkd = new Beanstalkd(Path.of("target/beanstalkd/usr/bin/beanstalkd").toAbsolutePath());
    rows.add(new Row("beanstalkd-16", false, FEW, 2, beanstalkd));
    rows.add(new Row("beanstalkd-64", false, MANY, 2, beanstalkd));
  }

  private JobServer keep(JobServer server) {
    servers.add(server);
    return server;
  }

  private static Contender over(JobServer server, String name, Way way) {
    return new HttpClaims(name, server, HttpCaller.Client.LEAN, way);
  }

  private static Contender node(Postgres postgres, String name, String script, String mode) {
    return new PeerProcess(postgres, name, PeerProcess.Language.NODE, List.of("node", "peers/node/" + script, mode));
  }

  private static Contender river(Postgres postgres, String name, String mode) {
    return new PeerProcess(postgres, name, PeerProcess.Language.GO, List.of("target/river", mode));
  }

  @Override
  public void close() throws IOException, SQLException {
    for (JobServer server : servers) {
      server.close();
    }
  }

  private record OnPostgres(Postgres postgres) implements Agwp.Storage {
    @Override
    public String create() throws SQLException {
      return postgres.create().jdbcUrl();
    }

    @Override
    public String emptying() {
      return "empty-postgresql.sql";
    }
  }

  /** The database of a server that runs already. */
  private record BesideAnother(Agwp server) implements Agwp.Storage {
    @Override
    public String create() throws IOException, SQLException {
      server.uri();
      return server.jdbcUrl();
    }

    @Override
    public String emptying() {
      return "empty-postgresql.sql";
    }
  }

  private record OnSqlite() implements Agwp.Storage {
    @Override
    public String create() throws IOException {
      return "jdbc:sqlite:" + Files.createTempDirectory(Bench.SCRATCH, "sqlite").resolve("agwp.db");
    }

    @Override
    public String emptying() {
      return "empty-sqlite.sql";
    }
  }
}
