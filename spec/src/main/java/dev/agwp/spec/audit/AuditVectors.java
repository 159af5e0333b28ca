package dev.agwp.spec.audit;

import static dev.agwp.spec.audit.Event.Field.ATTEMPTS;
import static dev.agwp.spec.audit.Event.Field.ATTESTATION_DIGEST;
import static dev.agwp.spec.audit.Event.Field.DETAIL;
import static dev.agwp.spec.audit.Event.Field.JOB_ID;
import static dev.agwp.spec.audit.Event.Field.KIND;
import static dev.agwp.spec.audit.Event.Field.OUTCOME;
import static dev.agwp.spec.audit.Event.Field.PAYLOAD_DIGEST;
import static dev.agwp.spec.audit.Event.Field.PRINCIPAL;
import static dev.agwp.spec.audit.Event.Field.QUEUE;
import static dev.agwp.spec.audit.Event.Field.REASON;
import static dev.agwp.spec.audit.Event.Field.REQUEST_ID;
import static dev.agwp.spec.audit.Event.Field.RESULT_DIGEST;
import static dev.agwp.spec.audit.Event.Field.SUBJECT;
import static dev.agwp.spec.audit.Event.Field.SUBJECT_DIGEST;
import static dev.agwp.spec.audit.Event.Field.WORKER;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.agwp.attestation.Sha256;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * The golden vectors of the audit format: {@code events.json}, what each event is in bytes, and {@code log.json}, a whole log of them with
 * checkpoints. A verifier in another language can be held against them.
 */
public final class AuditVectors {
  public static final String FOLDER = "audit";

  private static final ObjectMapper JSON = new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);
  private static final long TIME_MS = 1_796_119_200_123L;
  private static final long ATTEMPTS_MAX = 4_294_967_295L;
  private static final int CHECKPOINT_EVERY = 7;
  private static final String LOG_ID = "3f0e9a52-6b1d-4c35-9f6e-0a1b2c3d4e5f";
  private static final String JOB = "019aeb3c-5a40-7c3e-9f0b-2f6b8f1d3c55";
  // The first key of RFC 8032, 7.1: it signs these checkpoints and nothing else.
  private static final String PRIVATE_KEY = """
      -----BEGIN PRIVATE KEY-----
      MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g
      -----END PRIVATE KEY-----
      """;
  private static final String PUBLIC_KEY = """
      -----BEGIN PUBLIC KEY-----
      MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
      -----END PUBLIC KEY-----
      """;

  private AuditVectors() {}

  /** Writes both files into the folder. */
  public static void write(Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve("events.json"), JSON.writeValueAsString(events()) + "\n");
    Files.writeString(folder.resolve("log.json"), JSON.writeValueAsString(log()) + "\n");
  }

  private static ArrayNode events() {
    ArrayNode vectors = JSON.createArrayNode();
    for (Event event : samples()) {
      ObjectNode vector = vectors.addObject();
      ObjectNode fields = vector.putObject("fields");
      event.values().forEach((field, value) -> fields.putPOJO(field.name().toLowerCase(Locale.ROOT), value));
      vector.put("preimage", hex(event.preimage()));
      vector.put("leaf_hash", hex(Chain.leaf(event.preimage())));
    }
    return vectors;
  }

  private static ObjectNode log() {
    CheckpointKey key = CheckpointKey.ofPrivate(PRIVATE_KEY);
    ObjectNode log = JSON.createObjectNode();
    log.put("public_key", PUBLIC_KEY);
    ArrayNode events = log.putArray("events");
    ArrayNode checkpoints = log.putArray("checkpoints");
    byte[] chain = Chain.empty();
    List<Event> samples = samples();
    for (int i = 0; i < samples.size(); i++) {
      long seq = i + 1L;
      byte[] preimage = samples.get(i).preimage();
      chain = Chain.next(chain, seq, Chain.leaf(preimage));
      events.addObject().put("seq", seq).put("preimage", hex(preimage)).put("chain_hash", hex(chain));
      if (seq % CHECKPOINT_EVERY == 0 || seq == samples.size()) {
        checkpoints.add(key.sign(Checkpoint.of(LOG_ID, seq, chain)));
      }
    }
    return log;
  }

  private static List<Event> samples() {
    List<Event> samples = new ArrayList<>();
    for (EventKind kind : EventKind.values()) {
      samples.add(Event.of(kind, TIME_MS).with(PRINCIPAL, "local").with(WORKER, "w1").with(QUEUE, "validate").with(JOB_ID, JOB)
          .with(ATTEMPTS, 1L).with(REQUEST_ID, "7f3f8f0e-5f0c-4a53-8f3b-0d8f7d0b8a11"));
    }
    Event enqueued = Event.of(EventKind.JOB_ENQUEUED, TIME_MS);
    samples.add(enqueued);
    samples.add(enqueued.with(SUBJECT_DIGEST, digest("subject")).with(PAYLOAD_DIGEST, digest("{}")));
    Event completed = Event.of(EventKind.JOB_COMPLETED, TIME_MS).with(OUTCOME, "passed");
    samples.add(completed.with(RESULT_DIGEST, digest("{\"tests\":1}")).with(ATTESTATION_DIGEST, digest("attestation")));
    samples.add(Event.of(EventKind.COMPLETION_REFUSED, TIME_MS).with(REASON, "stale_fencing_token"));
    samples.add(Event.of(EventKind.QUEUE_UPDATED, TIME_MS).with(DETAIL, "paused=true"));
    samples.add(enqueued.with(SUBJECT, "anything that is neither a job nor a queue"));
    // Where mistakes show: an empty text is not an absent one, characters of one to four bytes, texts that a careless join would mix up.
    samples.add(enqueued.with(PRINCIPAL, "").with(WORKER, "").with(ATTEMPTS, 0L));
    samples.add(enqueued.with(PRINCIPAL, "a|b").with(WORKER, "c"));
    samples.add(enqueued.with(PRINCIPAL, "a").with(WORKER, "b|c"));
    samples.add(enqueued.with(DETAIL, "a\u00e9\u2603\ud83d\ude80 e\u0301 \u0000\n\"\\"));
    samples.add(enqueued.with(ATTEMPTS, ATTEMPTS_MAX).with(WORKER, "w".repeat(128)).with(DETAIL, "\u2603".repeat(1_001)));
    samples.add(enqueued.with(DETAIL, "x".repeat(999) + "\ud83d\ude80"));
    samples.add(Event.of(EventKind.JOB_ENQUEUED, 0));
    samples.add(all());
    return samples;
  }

  private static Event all() {
    Event all = Event.of(EventKind.JOB_COMPLETED, TIME_MS);
    for (Event.Field field : Event.Field.values()) {
      if (field == ATTEMPTS) {
        all = all.with(field, 1L);
      } else if (field != Event.Field.AT && field != KIND) {
        all = all.with(field, field.name());
      }
    }
    return all;
  }

  private static String digest(String text) {
    return Sha256.written(Sha256.hash(text.getBytes(StandardCharsets.UTF_8)));
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
