package dev.agwp.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.testing.FaultProxy;
import dev.agwp.sdk.testing.FaultProxy.Seen;
import dev.agwp.sdk.testing.ServerProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A worker on a server of this build, with every request it sends seen on its way. */
abstract class WorkerOnServer {
  static final Predicate<Seen> CLAIM = request -> request.line().contains("/claim ");

  @TempDir
  private Path folder;
  private ServerProcess server;
  FaultProxy proxy;
  AgwpClient producer;
  private AgwpClient client;
  final CountDownLatch finish = new CountDownLatch(1);
  final List<String> handled = new CopyOnWriteArrayList<>();
  final List<String> heard = new CopyOnWriteArrayList<>();
  final List<String> whyLost = new CopyOnWriteArrayList<>();
  Worker worker;
  Thread running;

  @BeforeEach
  void serve() {
    server = ServerProcess.start(folder);
    proxy = new FaultProxy(server.uri());
    producer = AgwpClient.builder(server.uri()).build();
    client = AgwpClient.builder(proxy.uri()).requestTimeout(Duration.ofSeconds(20)).triesMax(2).build();
  }

  @AfterEach
  void stop() {
    if (worker != null) {
      worker.close();
    }
    client.close();
    producer.close();
    proxy.close();
    server.close();
  }

  Outcome workUntilFinish(ClaimedJob job) throws InterruptedException {
    handled.add(job.id());
    finish.await();
    return Outcome.passed(null);
  }

  List<String> enqueue(int jobs) {
    return IntStream.range(0, jobs).mapToObj(i -> producer.enqueueJob(new EnqueueJobRequest().queue("q")).getJobId()).toList();
  }

  Worker.Builder builder(int leaseSeconds) {
    return Worker.builder(client, "w1", List.of("q")).leaseSeconds(leaseSeconds).waitSeconds(20).grace(Duration.ZERO)
        .listener(new Heard());
  }

  void run(Worker runs) {
    worker = runs;
    running = new Thread(runs::run, "worker");
    running.setDaemon(true);
    running.start();
  }

  List<Seen> seen(Predicate<Seen> kind) {
    return proxy.seen().stream().filter(kind).toList();
  }

  Job awaitState(String jobId, String state) {
    return await().atMost(Duration.ofSeconds(20)).until(() -> producer.getJob(jobId), job -> state.equals(job.getState()));
  }

  static void awaitLatch(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
  }

  private final class Heard implements WorkerListener {
    @Override
    public void released(Job job) {
      heard.add("released " + job.getJobId());
    }

    @Override
    public void lost(Job job, String why) {
      whyLost.add(why);
      heard.add("lost " + job.getJobId());
    }

    @Override
    public void unavailable(AgwpException problem) {
      heard.add("unavailable");
    }
  }
}
