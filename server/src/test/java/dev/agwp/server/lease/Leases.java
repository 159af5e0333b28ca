package dev.agwp.server.lease;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.TestDatabase;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Calls on the leases and integrations of one repo, as the tests of leases make them. */
record Leases(Api api, String repo) {
  static final String DIGEST = "sha256:" + "ab".repeat(32);

  static Leases of(Api api) {
    return new Leases(api, "r");
  }

  /** A lease that the holder has for a minute. */
  ObjectNode given(String holder, String... paths) {
    return acquire(holder, List.of(paths)).ok();
  }

  /** @param extra more fields as JSON, for example {@code "ttl_seconds": 5} */
  Api.Answer acquire(String holder, List<String> paths, String... extra) {
    return api.post("/v1/leases", acquireRequest(holder, paths, extra));
  }

  CompletableFuture<Api.Answer> acquireLater(String holder, List<String> paths, String... extra) {
    return api.postLater("/v1/leases", acquireRequest(holder, paths, extra));
  }

  String acquireRequest(String holder, List<String> paths, String... extra) {
    return message("\"repo\": \"" + repo + "\", \"holder\": \"" + holder + "\", \"paths\": " + JsonList.text(paths), extra);
  }

  Api.Answer renew(JsonNode lease, String... extra) {
    return call("renew", lease.get("lease_id").asText(), label(lease), lease.get("fencing_token").asLong(), extra);
  }

  Api.Answer release(JsonNode lease) {
    return call("release", lease.get("lease_id").asText(), label(lease), lease.get("fencing_token").asLong());
  }

  Api.Answer call(String operation, String leaseId, String holder, long token, String... extra) {
    return api.post("/v1/leases/" + leaseId + "/" + operation,
        message("\"holder\": \"" + holder + "\", \"fencing_token\": " + token, extra));
  }

  /** Integrates a change of these paths that relies on the lease. */
  Api.Answer integrate(JsonNode lease, List<String> paths, String... extra) {
    return integrate(label(lease), List.of(lease.get("fencing_token").asLong()), paths, extra);
  }

  Api.Answer integrate(String holder, List<Long> tokens, List<String> paths, String... extra) {
    return api.post("/v1/integrations", message("\"repo\": \"" + repo + "\", \"change_digest\": \"" + DIGEST + "\", \"holder\": \"" + holder
        + "\", \"paths\": " + JsonList.text(paths) + ", \"fencing_tokens\": " + JsonList.text(tokens), extra));
  }

  /** The state it is in now. */
  String state(JsonNode integration) {
    return api.get("/v1/integrations/" + integration.get("integration_id").asText()).ok().get("state").asText();
  }

  /** As many paths as a request may name, nearly as long as they may be. */
  static List<String> aMegabyteOfPaths(String prefix) {
    return IntStream.range(0, 1000).mapToObj(i -> prefix + i + "x".repeat(1000)).toList();
  }

  static String label(JsonNode lease) {
    String holder = lease.get("holder").asText();
    return holder.substring(holder.lastIndexOf('|') + 1);
  }

  /** Moves the end of the lease into the past, as if its time had gone by. */
  static void expire(TestDatabase database, JsonNode lease) {
    database.change("update lease set expires_at = 1 where lease_id = '" + lease.get("lease_id").asText() + "'");
  }

  private static String message(String fields, String... extra) {
    return "{" + fields + Arrays.stream(extra).map(each -> ", " + each).collect(joining()) + "}";
  }
}
