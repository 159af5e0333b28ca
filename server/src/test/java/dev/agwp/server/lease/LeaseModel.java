package dev.agwp.server.lease;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/**
 * Leases and integrations of one repo as the contract tells of them, in memory and without an index. The time is a number that a walk
 * moves on itself.
 */
final class LeaseModel {
  private final List<Held> leases = new ArrayList<>();
  private final List<Integrated> integrations = new ArrayList<>();

  static final class Held {
    final String holder;
    final List<String> paths;
    final long token;
    boolean expired;
    String ended;

    private Held(String holder, List<String> paths, long token) {
      this.holder = holder;
      this.paths = paths;
      this.token = token;
    }

    String state() {
      return ended != null ? ended : expired ? "expired" : "held";
    }
  }

  private record Integrated(List<String> paths, List<Long> tokens, boolean rejected) {}

  Held lease(int number) {
    return leases.isEmpty() ? null : leases.get(number % leases.size());
  }

  List<Held> leases() {
    return leases;
  }

  int integrations() {
    return integrations.size();
  }

  /** The lease; null when an unexpired one overlaps. */
  Held acquire(String holder, List<String> paths) {
    List<Held> overlapping = leases.stream().filter(lease -> lease.ended == null && overlap(lease.paths, paths)).toList();
    if (overlapping.stream().anyMatch(lease -> !lease.expired)) {
      return null;
    }
    overlapping.forEach(lease -> lease.ended = "expired");
    Held lease = new Held(holder, paths, leases.size() + 1);
    leases.add(lease);
    return lease;
  }

  boolean renew(Held lease, String holder, long token) {
    if (lease.ended != null || !lease.holder.equals(holder) || lease.token != token) {
      return false;
    }
    lease.expired = false;
    return true;
  }

  boolean release(Held lease, String holder, long token) {
    if ("expired".equals(lease.ended) || !lease.holder.equals(holder) || lease.token != token) {
      return false;
    }
    lease.ended = "released";
    return true;
  }

  /** @param base how many integrations there were when the change was made; null when it does not say */
  boolean integrate(String holder, List<Long> tokens, List<String> paths, Integer base) {
    List<Long> covering = new ArrayList<>();
    for (String path : paths) {
      Held cover = leases.stream()
          .filter(lease -> lease.state().equals("held") && lease.holder.equals(holder) && tokens.contains(lease.token)
              && lease.paths.stream().anyMatch(leased -> covers(leased, path)))
          .findFirst().orElse(null);
      boolean highest = cover != null && leases.stream().noneMatch(lease -> lease.token > cover.token && overlap(lease.paths, List.of(path)));
      if (!highest || wasIntegratedByMore(path, cover.token)) {
        return false;
      }
      covering.add(cover.token);
    }
    if (base != null && integrations.subList(base, integrations.size()).stream().anyMatch(later -> !later.rejected && overlap(later.paths, paths))) {
      return false;
    }
    integrations.add(new Integrated(paths, covering, false));
    return true;
  }

  void reject(int sequence) {
    Integrated integration = integrations.get(sequence - 1);
    integrations.set(sequence - 1, new Integrated(integration.paths, integration.tokens, true));
  }

  private boolean wasIntegratedByMore(String path, long token) {
    for (Integrated integration : integrations) {
      for (int i = 0; i < integration.paths.size(); i++) {
        if (integration.tokens.get(i) > token && overlap(integration.paths.get(i), path)) {
          return true;
        }
      }
    }
    return false;
  }

  static boolean overlap(List<String> some, List<String> others) {
    return some.stream().anyMatch(path -> others.stream().anyMatch(other -> overlap(path, other)));
  }

  private static boolean overlap(String path, String other) {
    return covers(path, other) || covers(other, path);
  }

  private static boolean covers(String path, String other) {
    return path.equals(other) || path.endsWith("/") && other.startsWith(path);
  }

  /** Paths near each other, so that walks meet. */
  static List<String> paths(int bits) {
    List<String> all = List.of("a/", "a/b", "a/b/", "a/b/c", "ab", "a", "d/e", "d/");
    TreeSet<String> some = new TreeSet<>();
    for (int i = 0; i < all.size(); i++) {
      if ((bits >> i & 1) == 1) {
        some.add(all.get(i));
      }
    }
    return List.copyOf(some);
  }
}
