package dev.agwp.server.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.testing.Api;
import dev.agwp.server.testing.EveryDatabase;
import dev.agwp.server.testing.TestDatabase;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

final class PathRulesTest {
  private static final List<String> PATHS = List.of("a", "a/", "a/b.c", "a/b/", ".a", "..a", "a..", "a b", " ", "-", "é", "日本/語", "a\"'%_*?[",
      "a".repeat(1024), "é".repeat(512), "a/".repeat(63) + "a", "a/".repeat(64));

  private static final Map<String, String> NO_PATHS = Map.ofEntries(
      Map.entry("/", "must be relative"), Map.entry("/a", "must be relative"), Map.entry("//a", "must be relative"),
      Map.entry("a//b", "empty"), Map.entry("a//", "empty"), Map.entry(".", "segment"), Map.entry("..", "segment"),
      Map.entry("./", "segment"), Map.entry("../", "segment"), Map.entry("./a", "segment"), Map.entry("a/./b", "segment"),
      Map.entry("a/../b", "segment"), Map.entry("a/..", "segment"), Map.entry("a/../", "segment"), Map.entry("../a", "segment"),
      Map.entry("a\\b", "backslash"), Map.entry("a\nb", "control"), Map.entry("a\u007f", "control"), Map.entry("\u0085", "control"),
      Map.entry("a\u0000b", "U+0000"), Map.entry("e\u0301", "NFC"), Map.entry("a/\u212b", "NFC"),
      Map.entry("", "1..1024 characters"), Map.entry("a".repeat(1025), "1..1024 characters"),
      Map.entry("é".repeat(512) + "a", "1024 bytes"), Map.entry("a/".repeat(64) + "a", "64 segments"), Map.entry("a/".repeat(65), "64 segments"));

  @EveryDatabase
  void what_is_a_path_is_leased_and_comes_back_as_it_was(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    for (String path : PATHS) {
      Api.Answer answer = new Leases(leases.api(), "r" + PATHS.indexOf(path)).acquire("alice", List.of(path));

      assertThat(answer.ok().at("/paths/0").asText()).isEqualTo(path);
    }
  }

  @EveryDatabase
  void what_is_none_is_refused_by_name_whatever_stands_beside_it(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    leases.given("alice", "held");
    List<String> before = database.everything();

    NO_PATHS.forEach((path, rule) -> {
      refusedAt(leases.acquire("bob", List.of("good", path)), 1, rule);
      refusedAt(leases.integrate("alice", List.of(1L), List.of("held", path)), 1, rule);
    });
    assertThat(database.everything()).isEqualTo(before);
  }

  @EveryDatabase
  void a_path_stands_once_in_a_request_and_there_are_1_to_1000(TestDatabase database) {
    Leases leases = Leases.of(database.serve());

    refusedAt(leases.acquire("alice", List.of("a", "b", "a")), 2, "another path than paths[0]");
    leases.acquire("alice", List.of()).refused(400, "invalid_argument");
    leases.acquire("alice", IntStream.range(0, 1001).mapToObj(i -> "f" + i).toList()).refused(400, "invalid_argument");
    assertThat(database.everything()).isEmpty();
    leases.acquire("alice", IntStream.range(0, 1000).mapToObj(i -> "d/f" + i).toList()).ok();
    leases.acquire("alice", List.of("d/f999")).refused(409, "failed_precondition");
    leases.acquire("alice", List.of("d/")).refused(409, "failed_precondition");
    leases.given("alice", "d/f1000");
  }

  @EveryDatabase
  void what_the_paths_of_a_request_and_their_folders_take_together_has_a_limit(TestDatabase database) {
    Leases leases = Leases.of(database.serve());
    List<String> usual = IntStream.range(0, 1000).mapToObj(i -> "folder-012/".repeat(13) + "file-" + (1000 + i)).toList();
    // Of each 70,719 bytes: 64 names, twice their length and 64.
    List<String> deep = IntStream.range(0, 100).mapToObj(i -> (100 + i) + "x".repeat(12) + "/" + (("y".repeat(15) + "/").repeat(63))).toList();

    leases.acquire("alice", usual).ok();
    leases.acquire("alice", deep.subList(0, 59)).ok();
    refusedAt(leases.acquire("bob", deep), 59, "too much");
    refusedAt(leases.integrate("alice", List.of(2L), deep), 59, "too much");
  }

  @EveryDatabase
  void a_refusal_shows_the_path_and_of_a_long_one_its_start(TestDatabase database) {
    Leases leases = Leases.of(database.serve());

    refusedAt(leases.acquire("alice", List.of("good", "/etc/passwd")), 1, "\"/etc/passwd\" must be relative");
    refusedAt(leases.acquire("alice", List.of("a\nb")), 0, "\"a\\nb\" must hold no");
    refusedAt(leases.acquire("alice", List.of("/" + "\uD83D\uDE80".repeat(200))), 0, "\"/" + "\uD83D\uDE80".repeat(99) + "...\" must");
  }

  private static void refusedAt(Api.Answer answer, int place, String rule) {
    answer.refused(400, "invalid_argument");
    assertThat(answer.json().at("/errors/0/field").asText()).isEqualTo("paths[" + place + "]");
    assertThat(answer.json().at("/errors/0/message").asText()).contains(rule);
  }
}
