package dev.agwp.server.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.server.http.Scope;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import dev.agwp.spec.Contract;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Every operation of the contract, called as its own example says. */
final class OperationScopesTest {
  private static final Contract CONTRACT = Contract.load();

  @EveryDatabase
  void each_operation_is_refused_without_a_credential_and_with_each_wrong_scope_and_served_with_the_right_one(TestDatabase database) {
    try (database) {
      Map<Scope, String> tokens = new EnumMap<>(Scope.class);
      for (Scope scope : Scope.values()) {
        tokens.put(scope, database.aToken("p-" + scope.word(), scope));
      }
      Api api = database.serve();
      Map<Scope, Api> callers = new EnumMap<>(Scope.class);
      tokens.forEach((scope, token) -> callers.put(scope, api.as(token)));
      String job = callers.get(Scope.ENQUEUE).aQueuedJob();
      List<String> before = database.everything();
      for (Contract.Operation operation : CONTRACT.operations()) {
        Scope right = Scope.of(operation.node().path("x-scopes").path(0).asText()).orElseThrow();
        Api.Answer stranger = call(api, operation, job);
        stranger.refused(401, "unauthenticated");
        assertThat(stranger.header("WWW-Authenticate")).isEqualTo("Bearer");
        callers.forEach((scope, caller) -> {
          if (scope != right) {
            call(caller, operation, job).refused(403, "permission_denied");
          }
        });
      }
      assertThat(database.everything()).isEqualTo(before);

      for (Contract.Operation operation : CONTRACT.operations()) {
        Scope right = Scope.of(operation.node().path("x-scopes").path(0).asText()).orElseThrow();
        assertThat(call(callers.get(right), operation, job).status()).as(operation.id()).isNotIn(400, 401, 403, 405, 415, 500);
      }
    }
  }

  @EveryDatabase
  void a_credential_without_any_scope_may_do_nothing(TestDatabase database) {
    try (database) {
      Api nobody = database.serve().as(database.aToken("nobody"));
      for (Contract.Operation operation : CONTRACT.operations()) {
        call(nobody, operation, "none").refused(403, "permission_denied");
      }
    }
  }

  private static Api.Answer call(Api api, Contract.Operation operation, String jobId) {
    String path = operation.path().replace("{job_id}", jobId).replace("{queue}", "q").replace("{lease_id}", "none").replace("{integration_id}", "none");
    String query = path.matches("/v1/(leases|integrations)") ? "?repo=r" : "";
    BodyPublisher body = operation.node().has("requestBody") ? BodyPublishers.ofString(example(operation).toString()) : BodyPublishers.noBody();
    return api.send(api.request(path + query).header("Content-Type", "application/json").method(operation.method().toUpperCase(), body).build());
  }

  private static JsonNode example(Contract.Operation operation) {
    String schema = operation.node().at("/requestBody/content/application~1json/schema/$ref").asText();
    JsonNode example = CONTRACT.document().at(schema.substring(1)).path("example").deepCopy();
    // What asks for one more scope has a test of its own.
    return operation.id().equals("integrate") ? ((ObjectNode) example).without("validation") : example;
  }
}
