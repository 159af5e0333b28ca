package dev.agwp.spec.diff;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A list of mutations that is written one line each. */
abstract class Mutations {
  final List<Mutation> all = new ArrayList<>();

  final void add(String name, Rule rule, Consumer<ObjectNode> change) {
    add(name, rule, d -> {}, change);
  }

  final void add(String name, Rule rule, Consumer<ObjectNode> prepare, Consumer<ObjectNode> change) {
    all.add(new Mutation(name, rule, prepare, change));
  }
}
