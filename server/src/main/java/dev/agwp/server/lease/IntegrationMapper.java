package dev.agwp.server.lease;

import dev.agwp.server.http.Page;
import java.util.Collection;
import java.util.List;
import org.apache.ibatis.annotations.Param;

/** The statements of IntegrationMapper.xml. */
public interface IntegrationMapper {
  /** In no particular order. */
  List<Cover> covers(@Param("repo") String repo, @Param("rows") List<PathRow> paths, @Param("nowMs") long nowMs);

  /** Where it stands in the request. */
  Integer firstOutdated(@Param("repo") String repo, @Param("rows") List<CoveredPath.Range> ranges);

  /** @param after a sequence, as {@code before} is; what both name is not looked at */
  Changed firstChangedBetween(
      @Param("repo") String repo, @Param("rows") List<CoveredPath.Range> ranges, @Param("after") long after, @Param("before") long before);

  Changed firstChangedWithout(
      @Param("repo") String repo, @Param("rows") List<CoveredPath.Range> ranges, @Param("after") long after, @Param("before") long before);

  long nextSequence(@Param("repo") String repo);

  int store(@Param("row") NewIntegration integration);

  int storePaths(@Param("repo") String repo, @Param("sequence") long sequence, @Param("rows") List<CoveredPath> paths);

  IntegrationRow find(@Param("integrationId") String integrationId);

  IntegrationRow findRepeated(@Param("repo") String repo, @Param("holder") String holder, @Param("requestId") String requestId);

  /** Those that these jobs validate, with the states that the jobs give them now; in no particular order. */
  List<IntegrationRow> ofJobs(@Param("jobIds") Collection<String> jobIds);

  /** The newest integrations below a sequence and how much their paths and tokens hold. */
  List<Page.Row> sizes(
      @Param("repo") String repo, @Param("beforeSequence") long beforeSequence, @Param("integrationsMax") int integrationsMax);

  /** The integrations from one sequence to another, the newest first. */
  List<IntegrationRow> list(@Param("repo") String repo, @Param("newest") long newest, @Param("oldest") long oldest);
}
