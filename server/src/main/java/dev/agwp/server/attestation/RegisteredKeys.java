package dev.agwp.server.attestation;

import dev.agwp.attestation.VerificationKey;
import dev.agwp.server.storage.Database;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;
import dev.agwp.spec.audit.EventKind;
import java.util.List;
import java.util.regex.Pattern;

/** What an operator does with the keys that sign attestations: {@code agwp-server key}. */
public final class RegisteredKeys {
  /** Keys of one principal that count at once: more than a rotation needs, and few enough to be tried for each signature. */
  public static final int KEYS_OF_PRINCIPAL_MAX = 8;
  private static final Pattern PRINCIPAL = Pattern.compile("[\\x21-\\x7e]{1,256}");

  private final Database database;

  public RegisteredKeys(Database database) {
    this.database = database;
  }

  /**
   * Binds a key to a principal; one that is bound to it already stays so.
   *
   * @throws IllegalArgumentException when it is another's or was revoked, or the principal has as many as it may
   */
  public void add(String principal, VerificationKey key) {
    if (!PRINCIPAL.matcher(principal).matches()) {
      throw new IllegalArgumentException("the principal must be 1..256 printable ASCII characters without spaces");
    }
    int added = database.inTransaction(tx -> {
      int stored = tx.keys().add(key.id(), principal, key.der(), KEYS_OF_PRINCIPAL_MAX);
      if (stored == 1) {
        tx.audit(Event.of(EventKind.KEY_ADDED, tx.auditLog().now())
            .with(Field.SUBJECT, key.id())
            .with(Field.DETAIL, "principal=" + principal));
      }
      return stored;
    });
    if (added == 1) {
      return;
    }
    KeyRow known = find(key.id());
    if (known == null) {
      throw new IllegalArgumentException(principal + " has " + KEYS_OF_PRINCIPAL_MAX + " keys that are not revoked; revoke one first");
    }
    if (known.revokedAt() != null) {
      throw new IllegalArgumentException("the key " + key.id() + " was revoked, which is for ever; make a new one");
    }
    if (!known.principal().equals(principal)) {
      throw new IllegalArgumentException("the key " + key.id() + " is of the principal " + known.principal() + "; a key is of one alone");
    }
  }

  private KeyRow find(String keyId) {
    return database.read(tx -> tx.keys().find(keyId));
  }

  /** Also one that was revoked. @throws IllegalArgumentException when there is no such key */
  public VerificationKey get(String keyId) {
    KeyRow known = find(keyId);
    if (known == null) {
      throw unknown(keyId);
    }
    return VerificationKey.ofDer(known.publicKey());
  }

  private static IllegalArgumentException unknown(String keyId) {
    return new IllegalArgumentException("no key has the id " + keyId + "; agwp-server key list shows those there are");
  }

  /** All there ever were, by principal. */
  public List<KeyRow> list() {
    return database.read(tx -> tx.keys().list());
  }

  /** What is completed from now on cannot be signed by it. @throws IllegalArgumentException when there is no such key */
  public void revoke(String keyId) {
    int revoked = database.inTransaction(tx -> {
      int changed = tx.keys().revoke(keyId);
      if (changed == 1) {
        tx.audit(Event.of(EventKind.KEY_REVOKED, tx.auditLog().now())
            .with(Field.SUBJECT, keyId)
            .with(Field.DETAIL, "principal=" + tx.keys().find(keyId).principal()));
      }
      return changed;
    });
    if (revoked == 0 && find(keyId) == null) {
      throw unknown(keyId);
    }
  }
}
