package dev.agwp.spec.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.agwp.spec.audit.Event.Field;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class EventTest {
  private static final Event EVENT = Event.of(EventKind.JOB_CLAIMED, 1_000).with(Field.PRINCIPAL, "local").with(Field.ATTEMPTS, 1L);

  @Test
  void an_event_comes_back_from_its_bytes() {
    Event back = Event.read(EVENT.preimage()).orElseThrow();

    assertThat(back.values()).isEqualTo(EVENT.values());
    assertThat(back.atMs()).isEqualTo(1_000);
    assertThat(back.text(Field.WORKER)).isNull();
    assertThat(back.number(Field.ATTEMPTS)).isEqualTo(1);
  }

  @Test
  void bytes_of_a_later_version_are_not_read_as_an_event_of_this_one() {
    byte[] later = EVENT.preimage();
    later[0] = 2;

    assertThat(Event.read(later)).isEmpty();
  }

  @Test
  void bytes_that_no_event_gives_are_no_event() {
    byte[] bytes = EVENT.preimage();
    byte[] hugeLength = EVENT.preimage();
    // The length of the kind, after the version, the presence and the time, and its own presence.
    hugeLength[11] = (byte) 0xff;
    byte[] otherPresence = EVENT.preimage();
    otherPresence[1] = 2;

    for (int length = 0; length < bytes.length; length++) {
      assertThat(Event.read(Arrays.copyOf(bytes, length))).as("cut to " + length).isEmpty();
    }
    assertThat(Event.read(Arrays.copyOf(bytes, bytes.length + 1))).isEmpty();
    assertThat(Event.read(hugeLength)).isEmpty();
    assertThat(Event.read(otherPresence)).isEmpty();
  }

  @Test
  void a_text_is_cut_at_its_limit_and_never_inside_of_a_character() {
    assertThat(EVENT.with(Field.DETAIL, "x".repeat(1_001)).text(Field.DETAIL)).hasSize(1_000);
    assertThat(EVENT.with(Field.DETAIL, "x".repeat(999) + "\ud83d\ude80").text(Field.DETAIL)).isEqualTo("x".repeat(999));
  }

  @Test
  void a_field_of_numbers_takes_no_text() {
    assertThatThrownBy(() -> EVENT.with(Field.ATTEMPTS, "1")).isInstanceOf(IllegalArgumentException.class);
  }
}
