package dev.agwp.server.testing;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** A test that runs on SQLite and on a real PostgreSQL, each time with an empty {@link TestDatabase} of its own. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedTest(name = "{0}")
@ArgumentsSource(EveryDatabase.Databases.class)
public @interface EveryDatabase {

  final class Databases implements ArgumentsProvider {
    @Override
    public Stream<Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext context) {
      return Stream.of(TestDatabase.sqlite(), TestDatabase.postgresql()).map(Arguments::of);
    }
  }
}
