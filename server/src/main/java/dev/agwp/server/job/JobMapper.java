package dev.agwp.server.job;

import dev.agwp.server.http.Page;
import java.util.List;
import org.apache.ibatis.annotations.Param;

/** The statements of JobMapper.xml. A null row means refused: nothing was changed. */
public interface JobMapper {
  /** The jobs that were stored; none for one whose unique key is taken. */
  List<JobRow> enqueue(@Param("rows") List<NewJob> jobs);

  JobRow findLiveByUniqueKey(@Param("queue") String queue, @Param("uniqueKey") String uniqueKey);

  List<SettledJob> settleDue(@Param("jobsMax") int jobsMax);

  Long millisUntilDue();

  /** In no particular order: RETURNING has none. Sort by {@link JobRow#claimPosition}. */
  List<JobRow> claim(
      @Param("queues") List<String> queues, @Param("rows") List<ClaimingInOrder> requests, @Param("jobsMax") long jobsMax);

  List<JobRow> findClaimed(@Param("rows") List<Claiming> requests);

  // Of the calls of holders: the jobs that were changed, in no particular order. When wait is false, a job that another transaction
  // holds is left out.

  List<JobRow> heartbeat(@Param("rows") List<Heartbeat> heartbeats, @Param("wait") boolean wait);

  List<JobRow> complete(@Param("rows") List<Completion> completions, @Param("wait") boolean wait);

  List<JobRow> fail(@Param("rows") List<Failure> failures, @Param("wait") boolean wait);

  List<JobRow> release(@Param("rows") List<Release> releases, @Param("wait") boolean wait);

  JobRow cancel(@Param("jobId") String jobId);

  JobRow retry(@Param("jobId") String jobId);

  JobRow find(@Param("jobId") String jobId);

  List<JobQueueRow> queuesOf(@Param("jobIds") List<String> jobIds);

  /** The newest jobs below a place and how much of payload and result each of them holds, in bytes of UTF-8. */
  List<Page.Row> sizes(
      @Param("queue") String queue, @Param("state") String state, @Param("beforeSeq") long beforeSeq, @Param("jobsMax") int jobsMax);

  /** The jobs from one place to another, the newest first. */
  List<JobRow> list(
      @Param("queue") String queue, @Param("state") String state, @Param("newest") long newest, @Param("oldest") long oldest);
}
