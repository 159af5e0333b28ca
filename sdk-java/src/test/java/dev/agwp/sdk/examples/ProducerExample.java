package dev.agwp.sdk.examples;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.AgwpException;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.Job;
import java.net.URI;
import java.util.Map;

/** A producer that enqueues a job once, however often it runs. */
final class ProducerExample {
  private ProducerExample() {}

  static Job enqueue(URI server, String path) {
    // tag::producer
    try (AgwpClient client = AgwpClient.builder(server).build()) {
      return client.enqueueJob(new EnqueueJobRequest()
          .queue("validate")
          .payload(Map.of("path", path))
          .uniqueKey("validate:" + path));
    } catch (AgwpException refused) {
      System.err.println(refused.code() + ": " + refused.getMessage() + " " + refused.fieldErrors());
      throw refused;
    }
    // end::producer
  }
}
