package dev.agwp.server.storage;

import dev.agwp.server.access.TokenMapper;
import dev.agwp.server.attestation.AttestationMapper;
import dev.agwp.server.attestation.KeyMapper;
import dev.agwp.server.job.JobMapper;
import dev.agwp.server.queue.QueueMapper;
import org.apache.ibatis.session.SqlSession;

/** The tables as one transaction sees them. */
public final class Transaction {
  private final SqlSession session;

  Transaction(SqlSession session) {
    this.session = session;
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

  public AttestationMapper attestations() {
    return session.getMapper(AttestationMapper.class);
  }

  public KeyMapper keys() {
    return session.getMapper(KeyMapper.class);
  }

  public TokenMapper tokens() {
    return session.getMapper(TokenMapper.class);
  }
}
