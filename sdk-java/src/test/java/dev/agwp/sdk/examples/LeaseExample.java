package dev.agwp.sdk.examples;

import dev.agwp.sdk.AgwpClient;
import dev.agwp.sdk.FileLease;
import dev.agwp.sdk.model.IntegrateRequest;
import dev.agwp.sdk.model.Integration;
import dev.agwp.sdk.model.Validation;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/** A program that changes files nobody else may change meanwhile, and has the change validated. */
final class LeaseExample {
  private LeaseExample() {}

  static Integration change(URI server, String changeDigest) {
    // tag::lease
    try (AgwpClient client = AgwpClient.builder(server).build();
        FileLease lease = FileLease.builder(client, "acme/site", "editor-1", List.of("docs/", "src/main.c"))
            .maxWait(Duration.ofSeconds(30))
            .onLost(why -> System.err.println("stop changing files: " + why))
            .acquire()) {
      return client.integrate(new IntegrateRequest()
          .repo("acme/site")
          .changeDigest(changeDigest)
          .paths(List.of("docs/index.md"))
          .holder("editor-1")
          .fencingTokens(List.of(lease.fencingToken()))
          .validation(new Validation().queue("validate")));
    }
    // end::lease
  }
}
