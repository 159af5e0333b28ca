package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.TestDatabase;
import java.util.ArrayList;
import java.util.List;

/** Takes steps on the server and in the model, and holds what comes of each against the other. */
final class LeaseWalk {
  private static int walks;

  enum Kind { ACQUIRE, RENEW, RELEASE, EXPIRE, INTEGRATE, INTEGRATE_ON_BASE, REJECT }

  /** @param lease which of the leases so far it is about, where it is about one */
  record Step(Kind kind, String holder, int pathBits, int lease) {}

  private final TestDatabase database;
  private final Leases leases;
  private final LeaseModel model = new LeaseModel();
  private final List<JsonNode> given = new ArrayList<>();
  private final List<JsonNode> integrated = new ArrayList<>();

  LeaseWalk(TestDatabase database, Api api) {
    this.database = database;
    leases = new Leases(api, "walk" + walks++);
  }

  void go(List<Step> steps) {
    steps.forEach(this::take);
    JsonNode listed = leases.api().get("/v1/leases?page_size=1000&repo=" + leases.repo()).ok().get("leases");
    List<String> stored = new ArrayList<>();
    listed.forEach(lease -> stored.add(0, lease.get("fencing_token") + " " + lease.get("state").asText()));
    assertThat(stored).isEqualTo(model.leases().stream().map(lease -> lease.token + " " + lease.state()).toList());
    assertThat(integrated).hasSize(model.integrations());
  }

  private void take(Step step) {
    int number = given.isEmpty() ? 0 : Math.floorMod(given.size() - 1 - step.lease(), given.size());
    LeaseModel.Held lease = model.lease(number);
    switch (step.kind()) {
      case ACQUIRE -> acquire(step);
      case RENEW -> {
        if (lease != null) {
          same(leases.call("renew", id(number), step.holder(), lease.token), model.renew(lease, step.holder(), lease.token));
        }
      }
      case RELEASE -> {
        if (lease != null) {
          same(leases.call("release", id(number), step.holder(), lease.token), model.release(lease, step.holder(), lease.token));
        }
      }
      case EXPIRE -> {
        if (lease != null) {
          Leases.expire(database, given.get(number));
          lease.expired = true;
        }
      }
      case INTEGRATE, INTEGRATE_ON_BASE -> integrate(step);
      case REJECT -> {
        if (!integrated.isEmpty()) {
          JsonNode integration = integrated.get(step.lease() % integrated.size());
          leases.api().cancel(integration.get("job_id").asText()).ok();
          model.reject(integration.get("sequence").asInt());
        }
      }
    }
  }

  private void acquire(Step step) {
    List<String> paths = LeaseModel.paths(step.pathBits());
    LeaseModel.Held expected = model.acquire(step.holder(), paths);
    Api.Answer answer = leases.acquire(step.holder(), paths);
    same(answer, expected != null);
    if (expected != null) {
      assertThat(answer.ok().get("fencing_token").asLong()).isEqualTo(expected.token);
      given.add(answer.ok());
    }
  }

  private void integrate(Step step) {
    List<String> paths = LeaseModel.paths(step.pathBits());
    // All tokens but one: that of the lease the step is about.
    List<Long> tokens = new ArrayList<>(List.of(1000L));
    model.leases().stream().map(lease -> lease.token).filter(token -> token % 10 != step.lease()).forEach(tokens::add);
    boolean onBase = step.kind() == Kind.INTEGRATE_ON_BASE && !integrated.isEmpty();
    int base = onBase ? step.lease() % integrated.size() : 0;
    boolean expected = model.integrate(step.holder(), tokens, paths, onBase ? base + 1 : null);
    List<String> extra = new ArrayList<>(List.of("\"validation\": {\"queue\": \"walks\"}"));
    if (onBase) {
      extra.add("\"base\": \"" + integrated.get(base).get("integration_id").asText() + "\"");
    }
    Api.Answer answer = leases.integrate(step.holder(), tokens, paths, extra.toArray(String[]::new));
    same(answer, expected);
    if (expected) {
      assertThat(answer.ok().get("sequence").asInt()).isEqualTo(model.integrations());
      integrated.add(answer.ok());
    }
  }

  private String id(int number) {
    return given.get(number).get("lease_id").asText();
  }

  private static void same(Api.Answer answer, boolean expected) {
    assertThat(answer.status()).as(answer.json().toString()).isIn(expected ? List.of(200, 201) : List.of(409));
  }
}
