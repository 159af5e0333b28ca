package dev.agwp.server.lease;

import dev.agwp.server.http.Page;
import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Param;

/** The statements of LeaseMapper.xml. */
public interface LeaseMapper {
  /** Null when no lease was ever asked for in this repo. */
  LeaseRepo lock(@Param("repo") String repo);

  int ensure(@Param("repo") String repo);

  LeaseRow findRepeated(
      @Param("repo") String repo, @Param("holder") String holder, @Param("requestId") String requestId, @Param("nowMs") long nowMs);

  /** What stands in the way of the first path that something does; null when nothing stands in the way of any. */
  Blocker blocker(@Param("repo") String repo, @Param("rows") List<AskedRange> ranges, @Param("nowMs") long nowMs);

  /** The tickets of those in whose way something stands. */
  List<Long> blocked(@Param("repo") String repo, @Param("rows") List<AskedRange> ranges);

  /** The tickets of those whose request was given its lease meanwhile. */
  List<Long> given(@Param("repo") String repo, @Param("rows") List<WaitingRequest> requests);

  List<Long> overlapping(@Param("repo") String repo, @Param("rows") List<PathRange> ranges);

  List<LeaseRow> endExpired(@Param("repo") String repo, @Param("tokens") List<Long> tokens, @Param("nowMs") long nowMs);

  int endPaths(@Param("repo") String repo, @Param("fencingToken") long fencingToken);

  long nextToken(@Param("repo") String repo);

  LeaseRow store(@Param("lease") NewLease lease);

  int storePaths(@Param("repo") String repo, @Param("fencingToken") long fencingToken, @Param("rows") List<PathRow> paths);

  LeaseRow renew(@Param("call") LeaseCall call, @Param("ttlSeconds") int ttlSeconds);

  LeaseRow release(@Param("call") LeaseCall call);

  LeaseRow find(@Param("leaseId") String leaseId);

  /** The newest leases below a token and how much their paths hold. */
  List<Page.Row> sizes(@Param("repo") String repo, @Param("beforeToken") long beforeToken, @Param("leasesMax") int leasesMax);

  /** The leases from one token to another, the newest first. */
  List<LeaseRow> list(@Param("repo") String repo, @Param("newest") long newest, @Param("oldest") long oldest);

  long storeTicket(@Param("repo") String repo, @Param("holder") String holder, @Param("aliveUntil") long aliveUntil);

  int storeTicketPaths(@Param("repo") String repo, @Param("ticket") long ticket, @Param("rows") List<PathRow> paths);

  int keepTickets(@Param("tickets") Collection<Long> tickets, @Param("aliveMs") long aliveMs);

  int dropTicketPaths(@Param("tickets") Collection<Long> tickets);

  int dropTickets(@Param("tickets") Collection<Long> tickets);

  /** Tickets that nobody waits with any more. */
  List<Long> staleTickets(@Param("repo") String repo, @Param("deadSince") long deadSince);

  int listen();
}
