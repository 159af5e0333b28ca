package dev.agwp.server.storage;

import dev.agwp.server.access.TokenMapper;
import dev.agwp.server.attestation.AttestationMapper;
import dev.agwp.server.attestation.KeyMapper;
import dev.agwp.server.audit.AuditMapper;
import dev.agwp.server.job.JobMapper;
import dev.agwp.server.lease.IntegrationMapper;
import dev.agwp.server.lease.LeaseMapper;
import dev.agwp.server.queue.QueueMapper;
import dev.agwp.spec.audit.Event;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import org.apache.ibatis.session.SqlSession;

/** The tables as one transaction sees them. */
public final class Transaction {
  private final SqlSession session;
  private final KnownQueues knownQueues;
  private final List<String> newQueues = new ArrayList<>();
  private final List<AuditMapper.NewEvent> events = new ArrayList<>();

  Transaction(SqlSession session, KnownQueues knownQueues) {
    this.session = session;
    this.knownQueues = knownQueues;
  }

  SqlSession session() {
    return session;
  }

  public JobMapper jobs() {
    return session.getMapper(JobMapper.class);
  }

  public QueueMapper queues() {
    return session.getMapper(QueueMapper.class);
  }

  /** Sees to it that there are queues of these names. */
  public void ensureQueues(Collection<String> names) {
    List<String> unknown = knownQueues.unknownOf(names);
    if (!unknown.isEmpty()) {
      queues().ensure(unknown);
      newQueues.addAll(unknown);
    }
  }

  public AttestationMapper attestations() {
    return session.getMapper(AttestationMapper.class);
  }

  public LeaseMapper leases() {
    return session.getMapper(LeaseMapper.class);
  }

  public IntegrationMapper integrations() {
    return session.getMapper(IntegrationMapper.class);
  }

  public KeyMapper keys() {
    return session.getMapper(KeyMapper.class);
  }

  public TokenMapper tokens() {
    return session.getMapper(TokenMapper.class);
  }

  public AuditMapper auditLog() {
    return session.getMapper(AuditMapper.class);
  }

  /** Leaves an event in the audit log (ADR-0020): it is stored with all that this transaction changes, or not at all. */
  public void audit(Event event) {
    events.add(new AuditMapper.NewEvent(HexFormat.of().formatHex(event.preimage())));
  }

  /** One statement for all of them, and the last one: who changes the same rows after this transaction gets a later place in the log. */
  void storeEvents() {
    if (!events.isEmpty()) {
      auditLog().append(events);
    }
  }

  void committed() {
    knownQueues.add(newQueues);
  }
}
