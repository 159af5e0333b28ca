package dev.agwp.server.audit;

import dev.agwp.attestation.Sha256;
import dev.agwp.server.http.Timestamps;
import dev.agwp.server.message.AuditEvent;
import dev.agwp.spec.audit.Chain;
import dev.agwp.spec.audit.Event;
import dev.agwp.spec.audit.Event.Field;

/** A sealed event. What it says is read from the very bytes that are hashed, so no column beside them can say something else. */
public record EventRow(long seq, byte[] preimage, byte[] chainHash) {
  AuditEvent toMessage() {
    AuditEvent message = new AuditEvent()
        .seq(seq)
        .preimage(preimage)
        .leafHash(Sha256.written(Chain.leaf(preimage)))
        .chainHash(Sha256.written(chainHash));
    return Event.read(preimage).map(event -> fill(message, event)).orElse(message);
  }

  private static AuditEvent fill(AuditEvent message, Event event) {
    return message
        .kind(event.text(Field.KIND))
        .at(Timestamps.ofMillis(event.atMs()))
        .principal(event.text(Field.PRINCIPAL))
        .worker(event.text(Field.WORKER))
        .queue(event.text(Field.QUEUE))
        .jobId(event.text(Field.JOB_ID))
        .attempts(event.number(Field.ATTEMPTS))
        .outcome(event.text(Field.OUTCOME))
        .reason(event.text(Field.REASON))
        .subjectDigest(event.text(Field.SUBJECT_DIGEST))
        .payloadDigest(event.text(Field.PAYLOAD_DIGEST))
        .resultDigest(event.text(Field.RESULT_DIGEST))
        .attestationDigest(event.text(Field.ATTESTATION_DIGEST))
        .subject(event.text(Field.SUBJECT))
        .detail(event.text(Field.DETAIL))
        .requestId(event.text(Field.REQUEST_ID));
  }
}
