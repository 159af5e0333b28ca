package dev.agwp.spec.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CheckpointTest {
  private static final Checkpoint CHECKPOINT = Checkpoint.of("log", 42, Chain.leaf(new byte[] {1}));

  @Test
  void a_checkpoint_is_a_signed_note() throws NoSuchAlgorithmException {
    KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    CheckpointKey key = CheckpointKey.ofPrivate(pem("PRIVATE", pair.getPrivate().getEncoded()));

    String note = key.sign(CHECKPOINT);

    assertThat(note).matches("agwp.dev/audit/log\n42\n[A-Za-z0-9+/]{43}=\n\n\u2014 agwp.dev/audit/log [A-Za-z0-9+/]{91}=\n");
    assertThat(Checkpoint.parse(note).text()).isEqualTo(CHECKPOINT.text());
    assertThat(CheckpointKey.ofPublic(pem("PUBLIC", pair.getPublic().getEncoded())).hasSigned(note)).isTrue();
  }

  @Test
  void a_note_that_was_changed_or_signed_by_another_key_is_not_signed() throws NoSuchAlgorithmException {
    CheckpointKey key = aKey();
    String note = key.sign(CHECKPOINT);

    assertThat(key.hasSigned(note.replace("\n42\n", "\n41\n"))).isFalse();
    assertThat(key.hasSigned(CHECKPOINT.text())).isFalse();
    assertThat(aKey().hasSigned(note)).isFalse();
    // A signature of another length is invalid, not an error.
    assertThat(key.hasSigned(note.substring(0, note.length() - 5) + "\n")).isFalse();
  }

  @Test
  void what_is_no_checkpoint_is_refused_with_what_to_give() {
    for (String text : List.of("", "hello\n1\nx\n", CHECKPOINT.text().replace("42", "-1"), CHECKPOINT.text().replace("42", "042"),
        "agwp.dev/audit/log\n1\nAAAA\n", "agwp.dev/audit/log\n1\n!\n")) {
      assertThatThrownBy(() -> Checkpoint.parse(text)).as(text).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void what_is_no_key_is_refused_with_what_to_give() throws NoSuchAlgorithmException {
    byte[] ofAnotherKind = KeyPairGenerator.getInstance("X25519").generateKeyPair().getPrivate().getEncoded();

    assertThatThrownBy(() -> CheckpointKey.ofPrivate("no key")).hasMessageContaining("PEM");
    assertThatThrownBy(() -> CheckpointKey.ofPrivate(pem("PUBLIC", ofAnotherKind))).hasMessageContaining("PRIVATE KEY");
    assertThatThrownBy(() -> CheckpointKey.ofPrivate(pem("PRIVATE", ofAnotherKind))).hasMessageContaining("openssl genpkey");
    assertThatThrownBy(() -> CheckpointKey.ofPublic(pem("PUBLIC", ofAnotherKind))).hasMessageContaining("openssl pkey -pubout");
  }

  private static CheckpointKey aKey() throws NoSuchAlgorithmException {
    return CheckpointKey.ofPrivate(pem("PRIVATE", KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate().getEncoded()));
  }

  private static String pem(String half, byte[] der) {
    return "-----BEGIN " + half + " KEY-----\n" + Base64.getMimeEncoder().encodeToString(der) + "\n-----END " + half + " KEY-----\n";
  }
}
