package dev.agwp.server.http;

import dev.agwp.spec.Contract;
import dev.agwp.spec.Transcoder;
import dev.agwp.spec.WireSchema;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.glassfish.grizzly.asyncqueue.AsyncQueueWriter;
import org.glassfish.grizzly.filterchain.FilterChainBuilder;
import org.glassfish.grizzly.filterchain.TransportFilter;
import org.glassfish.grizzly.http.HttpServerFilter;
import org.glassfish.grizzly.http.server.HttpHandlerRegistration;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.ServerConfiguration;
import org.glassfish.grizzly.ssl.SSLBaseFilter;
import org.glassfish.grizzly.threadpool.ThreadPoolConfig;
import org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpContainer;
import org.glassfish.jersey.server.ContainerFactory;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.ServerProperties;

/** Serves resources over HTTP: Jersey on Grizzly, behind {@link FrontHandler}. Knows nothing of jobs. */
public final class HttpListener {
  /** Enough to wait for the database together and be written in one transaction; more cost, and nothing that waits for long holds one. */
  private static final int WORKERS = 32 + 8 * Runtime.getRuntime().availableProcessors();
  /** Requests that wait for a worker; more are refused by closing their connection. */
  private static final int QUEUED_REQUESTS_MAX = 4_096;
  private static final long STOP_LOOKS_EVERY_MS = 100;

  private final HttpServer server;
  private final NetworkListener listener;
  private final OpenConnections connections;
  private final TlsFiles tls;

  private HttpListener(HttpServer server, NetworkListener listener, OpenConnections connections, TlsFiles tls) {
    this.server = server;
    this.listener = listener;
    this.connections = connections;
    this.tls = tls;
  }

  /**
   * Begins to listen.
   *
   * @param port 0 takes a free one
   * @param tlsOptions null to speak plain HTTP
   * @param resources instances of the resource classes
   * @throws IOException when the address cannot be bound, or a file of TLS cannot be used
   */
  public static HttpListener start(String host, int port, Limits limits, TlsFiles.Options tlsOptions, Contract contract,
      MeterRegistry metrics, Collection<Object> resources) throws IOException {
    TlsFiles tls = tlsOptions == null ? null : TlsFiles.open(tlsOptions);
    BodyMemory memory = new BodyMemory(limits.heldBytesMax());
    MessageBodies bodies = new MessageBodies(new Transcoder(WireSchema.of(contract)), new FieldRules(contract), memory);
    Problems problems = new Problems(bodies);
    GrizzlyHttpContainer jersey = ContainerFactory.createContainer(
        GrizzlyHttpContainer.class, jersey(contract, metrics, bodies, problems, resources));
    FrontHandler front = new FrontHandler(jersey, problems, memory);

    HttpServer server = new HttpServer();
    OpenConnections connections = new OpenConnections(limits, problems, metrics);
    NetworkListener listener = listener(host, port, front, limits);
    listener.registerAddOn((each, filters) -> guard(filters, each, connections, limits, problems));
    if (tls != null) {
      listener.setSecure(true);
      listener.setSSLEngineConfig(tls);
    }
    server.addListener(listener);
    ServerConfiguration configuration = server.getServerConfiguration();
    configuration.addHttpHandler(front, HttpHandlerRegistration.ROOT);
    configuration.setDefaultErrorPageGenerator(front.errorPages());
    // Every method comes to FrontHandler, which refuses what the contract does not have.
    configuration.setPassTraceRequest(true);
    configuration.setJmxEnabled(false);
    HttpListener started = new HttpListener(server, listener, connections, tls);
    try {
      server.start();
    } catch (IOException cannotBind) {
      started.endThreads();
      // Grizzly names the address; what is wrong with it stands in the cause.
      Throwable why = cannotBind.getCause() == null ? cannotBind : cannotBind.getCause();
      throw new IOException("cannot listen on " + host + ":" + port + ": " + why.getMessage(), cannotBind);
    }
    return started;
  }

  /** Puts our own filters where the bytes of clients come in. */
  private static void guard(
      FilterChainBuilder filters, NetworkListener listener, OpenConnections connections, Limits limits, Problems problems) {
    int codec = filters.indexOfType(HttpServerFilter.class);
    filters.set(codec, new StrictHttpCodec(listener.getKeepAlive(), limits, problems, connections));
    filters.add(codec + 1, new WholeRequests(limits, connections));
    int handshakes = filters.indexOfType(SSLBaseFilter.class);
    if (handshakes >= 0) {
      ((SSLBaseFilter) filters.get(handshakes)).addHandshakeListener(new Handshakes(limits));
    }
    filters.add(filters.indexOfType(TransportFilter.class) + 1, connections);
  }

  private static ResourceConfig jersey(
      Contract contract, MeterRegistry metrics, MessageBodies bodies, Problems problems, Collection<Object> resources) {
    ProblemMapper mapper = new ProblemMapper(problems, new FieldRules(contract));
    ResourceConfig config = new ResourceConfig();
    config.property(ServerProperties.WADL_FEATURE_DISABLE, true);
    config.property(ServerProperties.PROCESSING_RESPONSE_ERRORS_ENABLED, true);
    config.property(ServerProperties.RESPONSE_SET_STATUS_OVER_SEND_ERROR, true);
    config.register(new CurrentRequest());
    config.register(new Negotiation());
    config.register(new Answer());
    config.register(new RequestLog(
        metrics, contract.operations().stream().map(Contract.Operation::id).collect(Collectors.toSet())));
    config.register(bodies);
    config.register(mapper);
    config.register(new ProblemMapper.Violations(mapper));
    resources.forEach(config::register);
    return config;
  }

  private static NetworkListener listener(String host, int port, FrontHandler front, Limits limits) {
    NetworkListener listener = new NetworkListener("agwp", host, port);
    listener.getTransport().setWorkerThreadPoolConfig(ThreadPoolConfig.defaultConfig()
        .setPoolName("agwp-http")
        .setCorePoolSize(WORKERS)
        .setMaxPoolSize(WORKERS)
        .setQueueLimit(QUEUED_REQUESTS_MAX)
        .setDaemon(true));
    listener.getTransport().setReuseAddress(true);
    listener.getTransport().setTcpNoDelay(true);
    // A worker keeps one connection for its whole life: a limit would cut it in the middle of a busy stretch.
    listener.getKeepAlive().setMaxRequestsCount(-1);
    listener.getKeepAlive().setIdleTimeoutInSeconds(Math.toIntExact(limits.idle().toSeconds()));
    // What a client does not read waits without a thread. OpenConnections sees to it that it does not wait for ever.
    listener.setMaxPendingBytes(AsyncQueueWriter.UNLIMITED_SIZE);
    listener.setDefaultErrorPageGenerator(front.errorPages());
    listener.getFileCache().setEnabled(false);
    listener.registerAddOn(new UpgradesIgnored());
    return listener;
  }

  public int port() {
    return listener.getPort();
  }

  /** Takes no new connections and gives the requests in flight this long to be answered. */
  public void stop(long graceMs) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(graceMs);
    Future<HttpServer> shutdown = server.shutdown(graceMs, TimeUnit.MILLISECONDS);
    boolean ended = false;
    try {
      // Grizzly counts a request for ever whose client has reset the connection while it waited, so it is not asked alone.
      do {
        ended = endsSoon(shutdown);
      } while (!shutdown.isDone() && connections.anyBusy() && System.nanoTime() - end < 0);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (!ended) {
      server.shutdownNow();
    }
    endThreads();
  }

  private static boolean endsSoon(Future<HttpServer> shutdown) throws InterruptedException {
    try {
      shutdown.get(STOP_LOOKS_EVERY_MS, TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException notEnded) {
      return false;
    }
  }

  private void endThreads() {
    connections.close();
    if (tls != null) {
      tls.close();
    }
  }
}
