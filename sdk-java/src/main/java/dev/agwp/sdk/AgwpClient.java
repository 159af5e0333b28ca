package dev.agwp.sdk;

import dev.agwp.sdk.Transport.Repeat;
import dev.agwp.sdk.internal.AuditApi;
import dev.agwp.sdk.internal.IntegrationsApi;
import dev.agwp.sdk.internal.LeasesApi;
import dev.agwp.sdk.internal.QueuesApi;
import dev.agwp.sdk.model.AcquireLeaseRequest;
import dev.agwp.sdk.model.AuditEvent;
import dev.agwp.sdk.model.AuditHead;
import dev.agwp.sdk.model.ClaimJobRequest;
import dev.agwp.sdk.model.ClaimJobResponse;
import dev.agwp.sdk.model.ClaimNext;
import dev.agwp.sdk.model.CompleteJobRequest;
import dev.agwp.sdk.model.CompleteJobsRequest;
import dev.agwp.sdk.model.EnqueueJobRequest;
import dev.agwp.sdk.model.EnqueueJobsRequest;
import dev.agwp.sdk.model.FailJobRequest;
import dev.agwp.sdk.model.FailJobsRequest;
import dev.agwp.sdk.model.HeartbeatJobRequest;
import dev.agwp.sdk.model.HeartbeatJobsRequest;
import dev.agwp.sdk.model.IntegrateRequest;
import dev.agwp.sdk.model.Integration;
import dev.agwp.sdk.model.Job;
import dev.agwp.sdk.model.JobCompletion;
import dev.agwp.sdk.model.JobFailure;
import dev.agwp.sdk.model.JobHeartbeat;
import dev.agwp.sdk.model.JobResult;
import dev.agwp.sdk.model.Lease;
import dev.agwp.sdk.model.ListIntegrationsResponse;
import dev.agwp.sdk.model.ListJobsResponse;
import dev.agwp.sdk.model.ListLeasesResponse;
import dev.agwp.sdk.model.ListQueuesResponse;
import dev.agwp.sdk.model.Queue;
import dev.agwp.sdk.model.ReleaseJobRequest;
import dev.agwp.sdk.model.ReleaseLeaseRequest;
import dev.agwp.sdk.model.RenewLeaseRequest;
import dev.agwp.sdk.model.UpdateQueueRequest;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/**
 * A client of one server, with a method for each operation of the contract. Threads may share it.
 *
 * <p>Every method throws {@link AgwpException} when the server refuses, as {@link AccessRefusedException} when it refuses the caller
 * whatever the call, and {@link NoAnswerException} when no answer came. A call is
 * repeated by itself, with growing random pauses, only where that can do no harm: when the connection was refused, when
 * the server answered 429, and, for operations that are safe to repeat, when it answered 503 or the answer was lost. The README has the
 * table.
 */
public final class AgwpClient implements AutoCloseable {
  private final Transport transport;

  private AgwpClient(Builder builder) {
    transport = new Transport(builder.server, ClientOptions.connection(builder.connectTimeout, builder.sslContext),
        new Bearer(builder.token), builder.requestTimeout, builder.triesMax);
  }

  /** @param server where it is reached, for example {@code http://127.0.0.1:8080} */
  public static Builder builder(URI server) {
    return new Builder(server);
  }

  /** What a client is made with. */
  public static final class Builder {
    private static final int TRIES_MAX_DEFAULT = 5;

    private final URI server;
    private Duration connectTimeout = Duration.ofSeconds(10);
    private Duration requestTimeout = Duration.ofSeconds(30);
    private int triesMax = TRIES_MAX_DEFAULT;
    private Supplier<String> token;
    private boolean insecureToken;
    private SSLContext sslContext;

    private Builder(URI server) {
      this.server = ClientOptions.server(server);
    }

    /** How long to wait for a connection. More than 0. Defaults to 10 seconds. */
    public Builder connectTimeout(Duration timeout) {
      connectTimeout = ClientOptions.positive("connectTimeout", timeout);
      return this;
    }

    /** How long to wait for an answer, beside what a claim asks the server to wait. More than 0. Defaults to 30 seconds. */
    public Builder requestTimeout(Duration timeout) {
      requestTimeout = ClientOptions.positive("requestTimeout", timeout);
      return this;
    }

    /** How often a call is tried in all, where it may be repeated. 1..100; 1 never repeats. Defaults to 5. */
    public Builder triesMax(int tries) {
      triesMax = ClientOptions.tries(tries);
      return this;
    }

    /** The bearer token that says who calls. Defaults to none. */
    public Builder token(String value) {
      String checked = Bearer.checked(value);
      return token(() -> checked);
    }

    /**
     * Where the token comes from, asked before each request, so that a changed token is used from then on; it may be asked by several
     * threads at once. Whatever it throws ends that request as if the server could not be reached.
     */
    public Builder token(Supplier<String> source) {
      token = source;
      return this;
    }

    /** Sends the token over plain http to hosts other than this machine too, where whoever stands between can read it. Not by default. */
    public Builder allowInsecureToken() {
      insecureToken = true;
      return this;
    }

    /** Whom to trust for https, and which certificate to show. Defaults to what the Java runtime trusts. */
    public Builder sslContext(SSLContext context) {
      sslContext = context;
      return this;
    }

    /** Trusts the authorities in a PEM file for https, and no others. Defaults to those the Java runtime trusts. */
    public Builder caFile(Path pem) {
      return sslContext(Trust.in(pem));
    }

    /** @throws IllegalArgumentException when there is a token and the server's URL is plain http to another machine */
    public AgwpClient build() {
      if (token != null && !insecureToken && !Bearer.isSafeAt(server)) {
        throw new IllegalArgumentException("a token would be sent readable to " + server
            + "; use https, or allow it (allowInsecureToken, --allow-insecure-token)");
      }
      return new AgwpClient(this);
    }
  }

  /** Stores a job, or answers the live one with its {@code unique_key}. Repeated after a lost answer only with a key. */
  public Job enqueueJob(EnqueueJobRequest request) {
    return transport.call(request.getUniqueKey() == null ? Repeat.IF_NOT_SENT : Repeat.SAFELY, jobs -> jobs.enqueueJob(request));
  }

  /**
   * Stores 1..1000 jobs, all or none, and answers them in the same order. Repeated after a lost answer only when every job has a
   * {@code unique_key}.
   */
  public List<Job> enqueueJobs(List<EnqueueJobRequest> requests) {
    boolean keyed = requests.stream().allMatch(request -> request.getUniqueKey() != null);
    return transport.call(keyed ? Repeat.SAFELY : Repeat.IF_NOT_SENT,
        jobs -> jobs.enqueueJobs(new EnqueueJobsRequest().jobs(requests))).getJobs();
  }

  /**
   * Claims jobs. Repeated after a lost answer with the same {@code request_id}, so that jobs which the server gave already come back;
   * one is made when the request has none.
   *
   * @return the claimed jobs in claim order; empty when none came within {@code wait_seconds}
   */
  public List<Job> claimJob(ClaimJobRequest request) {
    return claim(request).getJobs();
  }

  /** As {@link #claimJob}, with what the server says of itself. */
  ClaimJobResponse claim(ClaimJobRequest request) {
    if (request.getRequestId() == null) {
      request.setRequestId(UUID.randomUUID().toString());
    }
    int waitSeconds = request.getWaitSeconds() == null ? 0 : request.getWaitSeconds();
    return transport.call(Repeat.SAFELY, Duration.ofSeconds(waitSeconds), jobs -> jobs.claimJob(request));
  }

  /** @throws LostClaimException when the caller does not hold the job (any more) */
  public Job heartbeatJob(String jobId, HeartbeatJobRequest request) {
    return transport.callOfHolder(Repeat.SAFELY, jobs -> jobs.heartbeatJob(jobId, request));
  }

  /** One try within the time given: for a caller that has its own plan for what comes next. */
  Job heartbeatOnce(String jobId, HeartbeatJobRequest request, Duration timeout) {
    return transport.callOfHolderOnce(timeout, jobs -> jobs.heartbeatJob(jobId, request));
  }

  /**
   * Keeps 1..100 claims, each of another job, in one call, and answers what came of each in the same order: its job, or the error that
   * {@link #heartbeatJob} would have thrown. The claim is lost when the error's code is {@code not_found} or
   * {@code failed_precondition}, but not for the reason {@code fencing_token_required}. Repeated after a lost answer.
   *
   * @throws AgwpException when the call itself was refused and no claim kept, with status 404 or 405 by servers before release 1.3.0
   */
  public List<JobResult> heartbeatJobs(List<JobHeartbeat> heartbeats) {
    return transport.call(Repeat.SAFELY, jobs -> jobs.heartbeatJobs(new HeartbeatJobsRequest().heartbeats(heartbeats))).getResults();
  }

  /** One try within the time given, as {@link #heartbeatOnce}. */
  List<JobResult> heartbeatsOnce(List<JobHeartbeat> heartbeats, Duration timeout) {
    return transport.callOnce(timeout, jobs -> jobs.heartbeatJobs(new HeartbeatJobsRequest().heartbeats(heartbeats))).getResults();
  }

  /**
   * Ends a job with an outcome. Repeated after a lost answer only with a {@code fencing_token}: a server of release 1.1.0 or later
   * answers the repeat of a completion that won with the stored job. {@link Worker} also finds out what became of one on older servers.
   *
   * <p>With {@code claim_next} the answer's {@code next_job} is the job that was claimed for the same worker; a server before release 1.3.0
   * claims none. A repeat is answered with the same one: a {@code request_id} is made when {@code claim_next} has none.
   *
   * @throws LostClaimException when the caller does not hold the job (any more); nothing was stored or claimed then
   */
  public Job completeJob(String jobId, CompleteJobRequest request) {
    identify(request.getClaimNext());
    return transport.callOfHolder(isFenced(request) ? Repeat.SAFELY : Repeat.IF_NOT_SENT, jobs -> jobs.completeJob(jobId, request));
  }

  /**
   * Ends 1..100 jobs with outcomes in one call, and answers what came of each in the same order: its job, or the error that
   * {@link #completeJob} would have thrown. Repeated after a lost answer only when every completion has a {@code fencing_token}.
   *
   * @throws AgwpException when the call itself was refused and nothing stored, with status 404 or 405 by servers before release 1.3.0
   */
  public List<JobResult> completeJobs(List<JobCompletion> completions) {
    completions.forEach(each -> identify(each.getCompletion().getClaimNext()));
    boolean fenced = completions.stream().allMatch(each -> isFenced(each.getCompletion()));
    return transport.call(fenced ? Repeat.SAFELY : Repeat.IF_NOT_SENT,
        jobs -> jobs.completeJobs(new CompleteJobsRequest().completions(completions))).getResults();
  }

  private static boolean isFenced(CompleteJobRequest request) {
    return request.getFencingToken() != null && request.getFencingToken() != 0;
  }

  // A repeat that claimed another job would strand the first.
  private static void identify(ClaimNext next) {
    if (next != null && next.getRequestId() == null) {
      next.setRequestId(UUID.randomUUID().toString());
    }
  }

  /**
   * Gives an attempt up. Not repeated after a lost answer: a job that came back at once would lose its next attempt too.
   *
   * <p>{@code claim_next} as for {@link #completeJob}. After a lost answer {@link #claimJob} with its {@code request_id} answers the job that
   * was claimed, or claims one.
   *
   * @throws LostClaimException when the caller does not hold the job (any more); nothing was claimed then
   */
  public Job failJob(String jobId, FailJobRequest request) {
    identify(request.getClaimNext());
    return transport.callOfHolder(Repeat.IF_NOT_SENT, jobs -> jobs.failJob(jobId, request));
  }

  /**
   * Gives 1..100 attempts up in one call, and answers what came of each in the same order: its job, or the error that {@link #failJob}
   * would have thrown. Not repeated after a lost answer.
   *
   * @throws AgwpException when the call itself was refused and nothing done, with status 404 or 405 by servers before release 1.3.0
   */
  public List<JobResult> failJobs(List<JobFailure> failures) {
    failures.forEach(each -> identify(each.getFailure().getClaimNext()));
    return transport.call(Repeat.IF_NOT_SENT, jobs -> jobs.failJobs(new FailJobsRequest().failures(failures))).getResults();
  }

  /** @throws LostClaimException when the caller does not hold the job (any more) */
  public Job releaseJob(String jobId, ReleaseJobRequest request) {
    return transport.callOfHolder(Repeat.IF_NOT_SENT, jobs -> jobs.releaseJob(jobId, request));
  }

  /** Ends a queued or claimed job at once; a cancelled one is answered as it is. */
  public Job cancelJob(String jobId) {
    return transport.call(Repeat.SAFELY, jobs -> jobs.cancelJob(jobId));
  }

  /** Puts a dead or cancelled job back with one more attempt allowed. */
  public Job retryJob(String jobId) {
    return transport.call(Repeat.IF_NOT_SENT, jobs -> jobs.retryJob(jobId));
  }

  public Job getJob(String jobId) {
    return transport.call(Repeat.SAFELY, jobs -> jobs.getJob(jobId));
  }

  /**
   * One page of jobs, newest first.
   *
   * @param queue only jobs of this queue; null for all
   * @param state only jobs in this state, see {@link JobState}; null for all
   * @param pageSize 1..1000; null for the server's default, 100
   * @param pageToken the {@code next_page_token} of the page before; null for the first page
   */
  public ListJobsResponse listJobs(String queue, String state, Integer pageSize, String pageToken) {
    return transport.call(Repeat.SAFELY, jobs -> jobs.listJobs(queue, state, pageSize, pageToken));
  }

  /** The attestation as the worker sent it, byte for byte; its SHA-256 is the job's {@code attestation_digest}. */
  public byte[] getAttestation(String jobId) {
    return transport.attestation(jobId);
  }

  /** One page of queues by name; the parameters as for {@link #listJobs}. */
  public ListQueuesResponse listQueues(Integer pageSize, String pageToken) {
    return transport.call(QueuesApi::new, queues -> queues.listQueues(pageSize, pageToken));
  }

  public Queue getQueue(String queue) {
    return transport.call(QueuesApi::new, queues -> queues.getQueue(queue));
  }

  public Queue updateQueue(String queue, UpdateQueueRequest request) {
    return transport.call(QueuesApi::new, queues -> queues.updateQueue(queue, request));
  }

  /**
   * Leases paths exclusively, all or none; {@link FileLease} also keeps the lease. Repeated after a lost answer with the same
   * {@code request_id}, so that a lease which the server gave already comes back; one is made when the request has none.
   *
   * @throws AgwpException with the reason {@code lease_held} when something stands in the way, still so after {@code wait_seconds}
   */
  public Lease acquireLease(AcquireLeaseRequest request) {
    if (request.getRequestId() == null) {
      request.setRequestId(UUID.randomUUID().toString());
    }
    int waitSeconds = request.getWaitSeconds() == null ? 0 : request.getWaitSeconds();
    return transport.call(LeasesApi::new, Duration.ofSeconds(waitSeconds), leases -> leases.acquireLease(request));
  }

  /** @throws AgwpException with a reason when the caller does not hold the lease (any more) */
  public Lease renewLease(String leaseId, RenewLeaseRequest request) {
    return transport.call(LeasesApi::new, leases -> leases.renewLease(leaseId, request));
  }

  /** Gives a lease back; one that its holder has released before is answered as it is. */
  public Lease releaseLease(String leaseId, ReleaseLeaseRequest request) {
    return transport.call(LeasesApi::new, leases -> leases.releaseLease(leaseId, request));
  }

  /** One page of the leases of a repo, newest first; the parameters as for {@link #listJobs}. */
  public ListLeasesResponse listLeases(String repo, Integer pageSize, String pageToken) {
    return transport.call(LeasesApi::new, leases -> leases.listLeases(repo, pageSize, pageToken));
  }

  /**
   * Takes a change in while its leases hold. Repeated after a lost answer with the same {@code request_id}, so that a change is integrated
   * once; one is made when the request has none.
   *
   * @throws AgwpException with a reason when a path has no current lease of the caller, or was changed since {@code base}
   */
  public Integration integrate(IntegrateRequest request) {
    if (request.getRequestId() == null) {
      request.setRequestId(UUID.randomUUID().toString());
    }
    return transport.call(IntegrationsApi::new, integrations -> integrations.integrate(request));
  }

  public Integration getIntegration(String integrationId) {
    return transport.call(IntegrationsApi::new, integrations -> integrations.getIntegration(integrationId));
  }

  /** One page of the integrations of a repo, newest first; the parameters as for {@link #listJobs}. */
  public ListIntegrationsResponse listIntegrations(String repo, Integer pageSize, String pageToken) {
    return transport.call(IntegrationsApi::new, integrations -> integrations.listIntegrations(repo, pageSize, pageToken));
  }

  /**
   * Sealed events of the audit log in their order; empty when nothing more is sealed yet.
   *
   * @param after the {@code seq} after which to begin; null for the beginning
   * @param limit 1..1000; null for the server's default, 100
   * @throws AgwpException with status 404 by servers before release 1.4.0
   */
  public List<AuditEvent> listAuditEvents(Long after, Integer limit) {
    return transport.call(AuditApi::new, audit -> audit.listAuditEvents(after, limit)).getEvents();
  }

  /**
   * How far the audit log is sealed.
   *
   * @throws AgwpException with status 404 by servers before release 1.4.0
   */
  public AuditHead getAuditHead() {
    return transport.call(AuditApi::new, AuditApi::getAuditHead);
  }

  LeaseCalls leaseCalls() {
    return new LeaseCalls(transport);
  }

  /** Ends the pauses between tries; calls that run then end with {@link NoAnswerException}. */
  @Override
  public void close() {
    transport.close();
  }
}
