package dev.agwp.server.access;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toUnmodifiableSet;

import dev.agwp.server.http.Scope;
import dev.agwp.spec.Contract;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;

/** The scopes that a caller of an operation must have: {@code x-scopes} of the contract, which is the only place that states them. */
final class OperationScopes {
  private final Map<String, Set<Scope>> byOperation;

  /** @throws IllegalStateException when an operation names none, so that none is ever served to everybody by an oversight */
  OperationScopes(Contract contract) {
    byOperation = contract.operations().stream().collect(toMap(Contract.Operation::id, OperationScopes::scopes));
  }

  private static Set<Scope> scopes(Contract.Operation operation) {
    Set<Scope> scopes = StreamSupport.stream(operation.node().path("x-scopes").spliterator(), false)
        .map(word -> Scope.of(word.asText()).orElseThrow(() -> new IllegalStateException(operation.id() + " needs no scope that exists")))
        .collect(toUnmodifiableSet());
    if (scopes.isEmpty()) {
      throw new IllegalStateException(operation.id() + " names no x-scopes");
    }
    return scopes;
  }

  /** Null for what is no operation of the contract. */
  Set<Scope> of(String operationId) {
    return byOperation.get(operationId);
  }
}
