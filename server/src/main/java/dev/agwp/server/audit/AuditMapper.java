package dev.agwp.server.audit;

import java.util.List;
import org.apache.ibatis.annotations.Param;

/** The statements of AuditMapper.xml. */
public interface AuditMapper {
  /** A new event: its pre-image, as hexadecimal digits. */
  record NewEvent(String bytes) {}

  /** The place of a pending event: its seq and its chain hash, as hexadecimal digits. */
  record Sealed(long eventId, long seq, String bytes) {}

  int append(@Param("rows") List<NewEvent> events);

  /** Milliseconds since 1970 by the database's clock. */
  long now();

  Long lockHead(@Param("seqBefore") long seqBefore);

  List<PendingRow> pending(@Param("eventsMax") int eventsMax);

  int seal(@Param("rows") List<Sealed> sealed);

  int dropSealed(@Param("rows") List<Sealed> sealed);

  int moveHead(@Param("seqBefore") long seqBefore, @Param("seq") long seq, @Param("chainHash") byte[] chainHash);

  Long unsealedAgeMs();

  /** Null when somebody has deleted it. */
  HeadRow findHead();

  /** @throws IllegalStateException when somebody has deleted it */
  default HeadRow head() {
    HeadRow head = findHead();
    if (head == null) {
      throw new IllegalStateException("the head of the audit log is gone: agwp-server audit verify tells what is left");
    }
    return head;
  }

  List<EventRow> events(@Param("after") long after, @Param("eventsMax") int eventsMax);
}
