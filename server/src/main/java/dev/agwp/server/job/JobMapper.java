package dev.agwp.server.job;

import java.util.List;
import org.apache.ibatis.annotations.Param;

/** The statements of JobMapper.xml. A null row means refused: nothing was changed. */
public interface JobMapper {
  JobRow enqueue(NewJob job);

  JobRow findLiveByUniqueKey(@Param("queue") String queue, @Param("uniqueKey") String uniqueKey);

  List<SettledJob> settleDue(@Param("jobsMax") int jobsMax);

  Long millisUntilDue();

  /** In no particular order: RETURNING has none. Sort by {@link JobRow#claimPosition}. */
  List<JobRow> claim(
      @Param("queues") List<String> queues,
      @Param("holder") String holder,
      @Param("leaseSeconds") int leaseSeconds,
      @Param("maxJobs") int maxJobs,
      @Param("requestId") String requestId);

  List<JobRow> findClaimed(@Param("holder") String holder, @Param("requestId") String requestId);

  JobRow heartbeat(
      @Param("call") HolderCall call,
      @Param("leaseSeconds") int leaseSeconds,
      @Param("progress") Integer progress,
      @Param("statusMessage") String statusMessage);

  JobRow complete(Completion completion);

  JobRow fail(
      @Param("call") HolderCall call,
      @Param("reason") String reason,
      @Param("message") String message,
      @Param("retryDelayMs") Long retryDelayMs,
      @Param("jitterPermille") int jitterPermille,
      @Param("terminal") boolean terminal);

  JobRow release(@Param("call") HolderCall call);

  JobRow cancel(@Param("jobId") String jobId);

  JobRow retry(@Param("jobId") String jobId);

  JobRow find(@Param("jobId") String jobId);

  List<JobRow> list(
      @Param("queue") String queue,
      @Param("state") String state,
      @Param("beforeSeq") long beforeSeq,
      @Param("jobsMax") int jobsMax);
}
