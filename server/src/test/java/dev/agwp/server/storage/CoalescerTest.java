package dev.agwp.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class CoalescerTest {
  private final ExecutorService callers = Executors.newCachedThreadPool();
  private final List<List<String>> batches = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch firstMayEnd = new CountDownLatch(1);
  // A call is about its first letter; what it is answered is itself in upper case.
  private final Coalescer<String, String> coalescer = new Coalescer<>(4, call -> call.charAt(0), this::work);

  @AfterEach
  void stop() {
    callers.shutdownNow();
  }

  @Test
  void a_lone_call_is_applied_at_once_by_its_own_thread() {
    Thread[] worked = new Thread[1];
    Coalescer<String, String> lone = new Coalescer<>(4, call -> call, calls -> {
      worked[0] = Thread.currentThread();
      return calls;
    });

    assertThat(lone.apply(List.of("a"))).containsExactly("a");
    assertThat(worked).containsExactly(Thread.currentThread());
    assertThat(lone.apply(List.of())).isEmpty();
  }

  @Test
  void calls_that_wait_are_applied_together_each_with_its_own_answer() {
    CompletableFuture<List<String>> first = firstAtWork();
    List<CompletableFuture<List<String>>> waiting = List.of(later("a"), later("b"), later("c"));

    firstMayEnd.countDown();

    assertThat(first.join()).containsExactly("FIRST");
    assertThat(waiting.stream().map(CompletableFuture::join)).containsExactly(List.of("A"), List.of("B"), List.of("C"));
    assertThat(batches).containsExactly(List.of("first"), List.of("a", "b", "c"));
  }

  @Test
  void two_calls_about_the_same_are_never_applied_together_and_keep_their_order() {
    firstAtWork();
    List<CompletableFuture<List<String>>> waiting = List.of(later("a1"), later("b1"), later("a2"), later("b2"), later("a3"));

    firstMayEnd.countDown();
    waiting.forEach(CompletableFuture::join);

    assertThat(batches).containsExactly(List.of("first"), List.of("a1", "b1"), List.of("a2", "b2"), List.of("a3"));
  }

  @Test
  void no_more_are_applied_together_than_may_be() {
    firstAtWork();
    CompletableFuture<List<String>> many = callersList(List.of("a", "b", "c", "d", "e", "f"));

    firstMayEnd.countDown();

    assertThat(many.join()).containsExactly("A", "B", "C", "D", "E", "F");
    assertThat(batches).containsExactly(List.of("first"), List.of("a", "b", "c", "d"), List.of("e", "f"));
  }

  @Test
  void work_that_fails_answers_none_of_its_calls_and_stops_nobody_else() {
    firstAtWork();
    CompletableFuture<List<String>> one = later("a");
    CompletableFuture<List<String>> failing = later("!");

    firstMayEnd.countDown();

    assertThat(one.join()).containsExactly((String) null);
    assertThat(failing.join()).containsExactly((String) null);
    assertThat(coalescer.apply(List.of("b"))).containsExactly("B");
  }

  private List<String> work(List<String> calls) {
    batches.add(calls);
    if (calls.contains("first")) {
      try {
        firstMayEnd.await();
      } catch (InterruptedException stopped) {
        throw new IllegalStateException(stopped);
      }
    }
    if (calls.contains("!")) {
      throw new IllegalStateException("as the test wants");
    }
    return calls.stream().map(String::toUpperCase).toList();
  }

  /** One call is being applied, and is until {@link #firstMayEnd}. */
  private CompletableFuture<List<String>> firstAtWork() {
    CompletableFuture<List<String>> first = CompletableFuture.supplyAsync(() -> coalescer.apply(List.of("first")), callers);
    await().until(() -> batches.size() == 1 && coalescer.inWork() == 1);
    return first;
  }

  private CompletableFuture<List<String>> later(String call) {
    return callersList(List.of(call));
  }

  /** Comes back when the calls wait, so that they wait in the order of the test. */
  private CompletableFuture<List<String>> callersList(List<String> calls) {
    int before = coalescer.waiting();
    CompletableFuture<List<String>> answer = CompletableFuture.supplyAsync(() -> coalescer.apply(calls), callers);
    await().until(() -> coalescer.waiting() == before + calls.size());
    return answer;
  }
}
