package dev.agwp.server;

import dev.agwp.server.access.Authentication;
import dev.agwp.server.access.BadAccessOptions;
import dev.agwp.server.audit.AuditResource;
import dev.agwp.server.audit.CheckpointFiles;
import dev.agwp.server.audit.ReadAudit;
import dev.agwp.server.audit.Sequencer;
import dev.agwp.server.http.HttpListener;
import dev.agwp.server.job.ClaimWaiters;
import dev.agwp.server.job.DueJobs;
import dev.agwp.server.job.JobOperations;
import dev.agwp.server.job.JobResource;
import dev.agwp.server.lease.IntegrationResource;
import dev.agwp.server.lease.LeaseResource;
import dev.agwp.server.lease.LeaseWaiters;
import dev.agwp.server.operations.DocsResource;
import dev.agwp.server.operations.HealthResource;
import dev.agwp.server.operations.MetricsResource;
import dev.agwp.server.queue.QueueResource;
import dev.agwp.server.queue.QueueSignals;
import dev.agwp.server.queue.ReadQueues;
import dev.agwp.server.queue.UpdateQueue;
import dev.agwp.server.storage.CannotOpenDatabase;
import dev.agwp.server.storage.Database;
import dev.agwp.server.storage.ReplicaSignals;
import dev.agwp.spec.Contract;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** A running server. All wiring is here: what is made, of what, in which order, and how it is stopped. */
public final class AgwpServer implements AutoCloseable {
  /** Requests in flight get this long to be answered when the server stops. */
  private static final long STOP_GRACE_MS = 10_000;

  private final Database database;
  private final ClaimWaiters waiters;
  private final LeaseWaiters leaseWaiters;
  private final DueJobs dueJobs;
  private final Sequencer sequencer;
  private final CheckpointFiles checkpoints;
  private final ReplicaSignals replicas;
  private final HttpListener http;
  private final URI uri;

  private AgwpServer(ServerOptions options, Contract contract, Database database) throws IOException {
    PrometheusMeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    this.database = database;
    Authentication authentication = new Authentication(options.access(), contract, database, metrics);
    waiters = new ClaimWaiters(database);
    Gauge.builder("agwp.claims.waiting", waiters, ClaimWaiters::waiting)
        .description("Claims that wait for a job")
        .register(metrics);
    leaseWaiters = new LeaseWaiters(database);
    Gauge.builder("agwp.leases.waiting", leaseWaiters, LeaseWaiters::waiting)
        .description("Acquires that wait for a file lease")
        .register(metrics);
    Counter expiredLeases = Counter.builder("agwp.leases.expired")
        .description("Leases this server found to have run out")
        .register(metrics);
    replicas = database.hasReplicas() ? replicaSignals() : null;
    QueueSignals signals = new QueueSignals(waiters::wake, queue -> tellReplicas(ReplicaSignals.CLAIMABLE, queue));
    dueJobs = new DueJobs(database, signals, expiredLeases);
    Counter sealedEvents = Counter.builder("agwp.audit.events.sealed")
        .description("Events of the audit log that this server sealed")
        .register(metrics);
    sequencer = new Sequencer(database, sealedEvents);
    ReadAudit readAudit = new ReadAudit(database, options.audit().key());
    Gauge.builder("agwp.audit.unsealed.age", readAudit, ReadAudit::unsealedAgeSeconds)
        .description("How long the oldest event that is not sealed yet has waited")
        .baseUnit("seconds")
        .register(metrics);
    checkpoints = options.audit().folder() == null ? null
        : new CheckpointFiles(database, options.audit().key(), options.audit().folder());
    ReadQueues readQueues = new ReadQueues(database);
    JobOperations jobs = JobOperations.on(database, signals, dueJobs, waiters, metrics, options.requireFencing());
    http = HttpListener.start(options.host(), options.port(), options.limits(), options.tls(), contract, metrics, List.of(
        authentication,
        new JobResource(jobs),
        new QueueResource(readQueues, new UpdateQueue(database, signals)),
        new LeaseResource(database, leaseWaiters, this::pathsAreFree),
        new IntegrationResource(database, jobs.enqueue()),
        new AuditResource(readAudit),
        new HealthResource(database),
        new MetricsResource(metrics, readQueues),
        new DocsResource(contract)));
    uri = URI.create((options.tls() == null ? "http://" : "https://") + bracketed(options.host()) + ":" + http.port());
    if (replicas != null) {
      replicas.start();
    }
    dueJobs.start();
    sequencer.start();
    if (checkpoints != null) {
      checkpoints.start();
    }
  }

  /**
   * Opens the database, brings its schema up to date and listens; when this returns, the server answers.
   *
   * @throws CannotOpenDatabase when the URL is none, or what it names cannot be opened
   * @throws BadAccessOptions when everybody or nobody would be let in
   * @throws IOException when the address cannot be bound, or a file of TLS cannot be used
   */
  public static AgwpServer start(ServerOptions options) throws IOException {
    // Read meanwhile: it takes as long as a new database does.
    CompletableFuture<Contract> contract = CompletableFuture.supplyAsync(Contract::load);
    Database database = Database.open(options.db());
    try {
      return new AgwpServer(options, contract.join(), database);
    } catch (IOException | RuntimeException failed) {
      database.close();
      throw failed;
    }
  }

  private ReplicaSignals replicaSignals() {
    return new ReplicaSignals(database,
        Map.of(ReplicaSignals.CLAIMABLE, waiters::wake, ReplicaSignals.LEASES, leaseWaiters::wake),
        () -> {
          waiters.wakeAll();
          leaseWaiters.wakeAll();
        });
  }

  private void tellReplicas(String channel, String name) {
    if (replicas != null) {
      replicas.tell(channel, name);
    }
  }

  private void pathsAreFree(String repo) {
    leaseWaiters.wake(repo);
    tellReplicas(ReplicaSignals.LEASES, repo);
  }

  /** Where this server is reached. */
  public URI uri() {
    return uri;
  }

  /** Answers what is in flight, waiting claims with no jobs and waiting acquires with a refusal, then lets go of the database. */
  @Override
  public void close() {
    waiters.close();
    leaseWaiters.close();
    http.stop(STOP_GRACE_MS);
    dueJobs.close();
    sequencer.close();
    if (checkpoints != null) {
      checkpoints.close();
    }
    if (replicas != null) {
      replicas.close();
    }
    database.close();
  }

  private static String bracketed(String host) {
    return host.contains(":") ? "[" + host + "]" : host;
  }
}
