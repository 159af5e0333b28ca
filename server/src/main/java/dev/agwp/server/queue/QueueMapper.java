package dev.agwp.server.queue;

import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Param;

/** The statements of QueueMapper.xml. */
public interface QueueMapper {
  /** What replicas are told: a name, of what the channel is about. */
  record Signal(String channel, String name) {}

  int ensure(@Param("names") Collection<String> names);

  int change(
      @Param("name") String name,
      @Param("paused") Boolean paused,
      @Param("requireFencing") Boolean requireFencing,
      @Param("attestation") String attestation);

  QueueRow find(@Param("name") String name);

  /** @param patterns null for every name */
  List<QueueRow> list(
      @Param("patterns") List<String> patterns, @Param("afterName") String afterName, @Param("queuesMax") int queuesMax);

  List<DepthRow> depths(@Param("names") Collection<String> names);

  List<AgeRow> oldestClaimable(@Param("names") Collection<String> names);

  List<String> claimableAmong(@Param("names") Collection<String> names);

  /** @param calls how many there were now; lastAt is not read */
  List<UnfencedRow> countUnfenced(@Param("rows") List<UnfencedRow> calls);

  int forgetUnfenced(@Param("queue") String queue, @Param("keptMs") long keptMs);

  List<UnfencedRow> unfenced(@Param("queue") String queue, @Param("keptMs") long keptMs, @Param("callersMax") int callersMax);

  int listen();

  /** What {@link org.postgresql.PGNotification#getPID} says of these, once for each. */
  List<Integer> notify(@Param("rows") List<Signal> signals);
}
