package dev.agwp.server.http;

import dev.agwp.spec.Contract;
import dev.agwp.spec.Transcoder;
import dev.agwp.spec.WireSchema;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.glassfish.grizzly.http.server.HttpHandlerRegistration;
import org.glassfish.grizzly.http.server.HttpServer;
import org.glassfish.grizzly.http.server.NetworkListener;
import org.glassfish.grizzly.http.server.ServerConfiguration;
import org.glassfish.grizzly.threadpool.ThreadPoolConfig;
import org.glassfish.jersey.grizzly2.httpserver.GrizzlyHttpContainer;
import org.glassfish.jersey.server.ContainerFactory;
import org.glassfish.jersey.server.ResourceConfig;
import org.glassfish.jersey.server.ServerProperties;

/** Serves resources over HTTP: Jersey on Grizzly, behind {@link FrontHandler}. Knows nothing of jobs. */
public final class HttpListener {
  private static final int WORKERS = 256;
  /** Requests that wait for a worker; more are refused by closing their connection. */
  private static final int QUEUED_REQUESTS_MAX = 4_096;
  private static final int KEEP_ALIVE_SECONDS = 75;
  /** How long Grizzly waits for the next bytes of a request it has begun to read. */
  private static final int READ_SECONDS_MAX = 10;
  private static final int HEADER_BYTES_MAX = 16 * 1024;

  private final HttpServer server;
  private final NetworkListener listener;

  private HttpListener(HttpServer server, NetworkListener listener) {
    this.server = server;
    this.listener = listener;
  }

  /**
   * Begins to listen.
   *
   * @param port 0 takes a free one
   * @param resources instances of the resource classes
   * @throws IOException when the address cannot be bound
   */
  public static HttpListener start(
      String host, int port, Contract contract, MeterRegistry metrics, Collection<Object> resources) throws IOException {
    MessageBodies bodies = new MessageBodies(new Transcoder(WireSchema.of(contract)), new FieldRules(contract));
    Problems problems = new Problems(bodies);
    GrizzlyHttpContainer jersey = ContainerFactory.createContainer(
        GrizzlyHttpContainer.class, jersey(contract, metrics, bodies, problems, resources));
    FrontHandler front = new FrontHandler(jersey, problems);

    HttpServer server = new HttpServer();
    NetworkListener listener = listener(host, port, front);
    server.addListener(listener);
    ServerConfiguration configuration = server.getServerConfiguration();
    configuration.addHttpHandler(front, HttpHandlerRegistration.ROOT);
    configuration.setDefaultErrorPageGenerator(front.errorPages());
    // Every method comes to FrontHandler, which refuses what the contract does not have.
    configuration.setPassTraceRequest(true);
    configuration.setAllowPayloadForUndefinedHttpMethods(true);
    configuration.setJmxEnabled(false);
    server.start();
    return new HttpListener(server, listener);
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

  private static NetworkListener listener(String host, int port, FrontHandler front) {
    NetworkListener listener = new NetworkListener("agwp", host, port);
    listener.getTransport().setWorkerThreadPoolConfig(ThreadPoolConfig.defaultConfig()
        .setPoolName("agwp-http")
        .setCorePoolSize(WORKERS)
        .setMaxPoolSize(WORKERS)
        .setQueueLimit(QUEUED_REQUESTS_MAX)
        .setDaemon(true));
    listener.getTransport().setReadTimeout(READ_SECONDS_MAX, TimeUnit.SECONDS);
    listener.getTransport().setReuseAddress(true);
    listener.getTransport().setTcpNoDelay(true);
    // A worker keeps one connection for its whole life: a limit would cut it in the middle of a busy stretch.
    listener.getKeepAlive().setMaxRequestsCount(-1);
    listener.getKeepAlive().setIdleTimeoutInSeconds(KEEP_ALIVE_SECONDS);
    listener.setMaxHttpHeaderSize(HEADER_BYTES_MAX);
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
    try {
      server.shutdown(graceMs, TimeUnit.MILLISECONDS).get(graceMs, TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException notInTime) {
      server.shutdownNow();
    } catch (InterruptedException interrupted) {
      server.shutdownNow();
      Thread.currentThread().interrupt();
    }
  }
}
