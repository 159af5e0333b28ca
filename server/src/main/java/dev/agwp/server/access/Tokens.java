package dev.agwp.server.access;

import dev.agwp.server.http.NamePatterns;
import dev.agwp.server.http.Scope;
import dev.agwp.server.storage.Database;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** The tokens as an operator sees and changes them. */
public final class Tokens {
  private final Database database;

  public Tokens(Database database) {
    this.database = database;
  }

  /**
   * Makes a token.
   *
   * @param lifetime null for one that does not expire
   * @return what is to be given to its holder; it cannot be had again
   */
  public String create(String principal, Collection<Scope> scopes, NamePatterns queues, Duration lifetime) {
    TokenText token = TokenText.random();
    List<String> words = scopes.stream().distinct().sorted().map(Scope::word).toList();
    String ofQueues = TokenRow.text(queues.patterns());
    database.inTransaction(tx -> {
      tx.audit(Event.of(EventKind.TOKEN_CREATED, tx.auditLog().now())
          .with(Field.SUBJECT, token.id())
          .with(Field.DETAIL, "principal=" + principal + " scopes=" + String.join(",", words) + " queues=" + ofQueues));
      return tx.tokens().create(token.id(), token.hash(), principal, TokenRow.text(words), ofQueues,
          lifetime == null ? null : lifetime.toMillis());
    });
    return token.text();
  }

  /** Oldest first, with those that are no longer valid. */
  public List<TokenRow> list() {
    return database.read(tx -> tx.tokens().list());
  }

  /** The token as it stands then; null when there is none of this id. */
  public TokenRow revoke(String id) {
    return database.inTransaction(tx -> {
      int revoked = tx.tokens().revoke(id);
      TokenRow token = tx.tokens().find(id);
      if (revoked == 1) {
        tx.audit(Event.of(EventKind.TOKEN_REVOKED, tx.auditLog().now())
            .with(Field.SUBJECT, id)
            .with(Field.DETAIL, "principal=" + token.principal()));
      }
      return token;
    });
  }
}
