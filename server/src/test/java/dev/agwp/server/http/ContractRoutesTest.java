package dev.agwp.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.agwp.server.audit.AuditResource;
import dev.agwp.server.job.JobResource;
import dev.agwp.server.lease.IntegrationResource;
import dev.agwp.server.lease.LeaseResource;
import dev.agwp.server.queue.QueueResource;
import dev.agwp.spec.Contract;
import jakarta.ws.rs.HttpMethod;
import jakarta.ws.rs.Path;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class ContractRoutesTest {

  @Test
  void the_routes_served_are_the_operations_of_the_contract_and_no_others() {
    Set<String> promised = Contract.load().operations().stream()
        .map(operation -> operation.id() + ": " + operation.method().toUpperCase(java.util.Locale.ROOT) + " " + operation.path())
        .collect(Collectors.toSet());

    Set<String> served = Stream.of(
            JobResource.class, QueueResource.class, AuditResource.class, LeaseResource.class, IntegrationResource.class)
        .flatMap(resource -> Arrays.stream(resource.getInterfaces()))
        .flatMap(contract -> Arrays.stream(contract.getMethods()))
        .map(ContractRoutesTest::route)
        .collect(Collectors.toSet());

    assertThat(served).isEqualTo(promised).hasSize(27);
  }

  private static String route(Method operation) {
    String verb = Arrays.stream(operation.getAnnotations())
        .map(Annotation::annotationType)
        .filter(type -> type.isAnnotationPresent(HttpMethod.class))
        .map(type -> type.getAnnotation(HttpMethod.class).value())
        .findFirst()
        .orElse("none");
    Path base = operation.getDeclaringClass().getAnnotation(Path.class);
    Path own = operation.getAnnotation(Path.class);
    return operation.getName() + ": " + verb + " " + base.value() + (own == null ? "" : own.value());
  }
}
