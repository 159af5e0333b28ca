package agwp

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"time"
)

const triesMaxMax = 100

// Client is a client of one server, with a method for each operation of the contract. Goroutines may share it.
//
// Every method returns an [Error] when the server refuses, and a [NoAnswerError] when no answer came or the context ended first. A call
// is repeated by itself, with growing random pauses, only where that can do no harm: when the connection was refused, when the server
// answered 429, and, for operations that are safe to repeat, when it answered 503 or the answer was lost. The README has the table.
type Client struct {
	transport *transport
}

type clientOptions struct {
	requestTimeout time.Duration
	connectTimeout time.Duration
	triesMax       int
	token          TokenSource
	malformedToken bool
	insecureToken  bool
	caFile         string
}

// ClientOption changes how a client calls.
type ClientOption func(*clientOptions)

// WithRequestTimeout says how long each try of a call waits for its answer, beside what a claim asks the server to wait. More than 0.
// Defaults to 30 seconds.
func WithRequestTimeout(timeout time.Duration) ClientOption {
	return func(options *clientOptions) { options.requestTimeout = timeout }
}

// WithConnectTimeout says how long to wait for a connection. More than 0. Defaults to 10 seconds.
func WithConnectTimeout(timeout time.Duration) ClientOption {
	return func(options *clientOptions) { options.connectTimeout = timeout }
}

// WithTriesMax says how often a call is tried in all, where it may be repeated. 1..100; 1 never repeats. Defaults to 5.
func WithTriesMax(tries int) ClientOption {
	return func(options *clientOptions) { options.triesMax = tries }
}

// NewClient makes a client of the server at an http or https URL such as http://127.0.0.1:8080. It fails when the URL is not one, or an
// option is out of its range.
func NewClient(server string, options ...ClientOption) (*Client, error) {
	address, err := url.Parse(server)
	if err != nil || address.Host == "" || (address.Scheme != "http" && address.Scheme != "https") ||
		address.RawQuery != "" || address.Fragment != "" {
		return nil, fmt.Errorf("agwp: the server must be an http or https URL such as http://127.0.0.1:8080, got %q", server)
	}
	chosen := clientOptions{requestTimeout: 30 * time.Second, connectTimeout: 10 * time.Second, triesMax: 5}
	for _, option := range options {
		option(&chosen)
	}
	if chosen.requestTimeout <= 0 {
		return nil, fmt.Errorf("agwp: the request timeout must be more than 0, got %v", chosen.requestTimeout)
	}
	if chosen.connectTimeout <= 0 {
		return nil, fmt.Errorf("agwp: the connect timeout must be more than 0, got %v", chosen.connectTimeout)
	}
	if chosen.triesMax < 1 || chosen.triesMax > triesMaxMax {
		return nil, fmt.Errorf("agwp: tries_max must be 1..%d, got %d", triesMaxMax, chosen.triesMax)
	}
	if chosen.malformedToken {
		return nil, fmt.Errorf("agwp: %w", errNoToken)
	}
	if chosen.token != nil && !chosen.insecureToken && !isSafeAt(address) {
		return nil, fmt.Errorf("agwp: a token would be sent readable to %q; use https, or WithInsecureToken", server)
	}
	trust, err := trustIn(chosen.caFile)
	if err != nil {
		return nil, err
	}
	return &Client{newTransport(server, chosen, trust)}, nil
}

// EnqueueJob stores a job, or answers the live one with its unique_key. Repeated after a lost answer only with a key.
func (c *Client) EnqueueJob(ctx context.Context, request EnqueueJobRequest) (*Job, error) {
	return call[Job](ctx, c.transport, opEnqueueJob(request), keyed(request), 0)
}

// EnqueueJobs stores 1..1000 jobs, all or none, and answers them in the same order. Repeated after a lost answer only when every job has
// a unique_key.
func (c *Client) EnqueueJobs(ctx context.Context, requests []EnqueueJobRequest) ([]Job, error) {
	request := EnqueueJobsRequest{Jobs: append([]EnqueueJobRequest{}, requests...)}
	answer, err := call[EnqueueJobsResponse](ctx, c.transport, opEnqueueJobs(request), keyed(requests...), 0)
	if err != nil {
		return nil, err
	}
	return answer.Jobs, nil
}

// ClaimJob claims jobs; the answer names none when none came within wait_seconds. Repeated after a lost answer with the same request_id,
// so that jobs which the server gave already come back; one is made when the request has none.
func (c *Client) ClaimJob(ctx context.Context, request ClaimJobRequest) (*ClaimJobResponse, error) {
	request.Queues = append([]string{}, request.Queues...)
	if request.RequestId == nil {
		request.RequestId = Ptr(newRequestID())
	}
	var wait time.Duration
	if request.WaitSeconds != nil {
		wait = time.Duration(max(0, *request.WaitSeconds)) * time.Second
	}
	return call[ClaimJobResponse](ctx, c.transport, opClaimJob(request), safely, wait)
}

// HeartbeatJob keeps a claim. A [LostClaimError] says that the caller does not hold the job, or not any more.
func (c *Client) HeartbeatJob(ctx context.Context, jobID string, request HeartbeatJobRequest) (*Job, error) {
	return ofHolder(call[Job](ctx, c.transport, opHeartbeatJob(jobID, request), safely, 0))
}

// HeartbeatJobs keeps 1..100 claims, each as [Client.HeartbeatJob] would, and answers a result for each in the same order; one that is
// refused leaves the others alone. Servers before release 1.3.0 do not have it.
func (c *Client) HeartbeatJobs(ctx context.Context, heartbeats []JobHeartbeat) ([]JobResult, error) {
	request := HeartbeatJobsRequest{Heartbeats: append([]JobHeartbeat{}, heartbeats...)}
	return resultsOf(call[JobResults](ctx, c.transport, opHeartbeatJobs(request), safely, 0))
}

// heartbeatOnce makes one try within the time given: for a caller that has its own plan for what comes next.
func (c *Client) heartbeatOnce(ctx context.Context, jobID string, request HeartbeatJobRequest, timeout time.Duration) error {
	_, err := callTries[Job](ctx, c.transport, opHeartbeatJob(jobID, request), ifNotSent, timeout, 1)
	return lostClaimTold(err)
}

// CompleteJob ends a job with an outcome. Repeated after a lost answer only with a fencing_token: a server of release 1.1.0 or later
// answers the repeat of a completion that won with the stored job. [Worker] also finds out what became of one on older servers. A claim_next
// without a request_id gets one, so that a repeat is answered with the same next_job.
//
// A [LostClaimError] says that the caller does not hold the job, or not any more; nothing was stored then.
func (c *Client) CompleteJob(ctx context.Context, jobID string, request CompleteJobRequest) (*Job, error) {
	request = claimNamed(request)
	return ofHolder(call[Job](ctx, c.transport, opCompleteJob(jobID, request), fenced(request), 0))
}

// CompleteJobs ends 1..100 jobs, each as [Client.CompleteJob] would, and answers a result for each in the same order; one that is refused
// leaves the others alone. Repeated after a lost answer only when every completion has its fencing_token. Servers before release 1.3.0 do
// not have it.
func (c *Client) CompleteJobs(ctx context.Context, completions []JobCompletion) ([]JobResult, error) {
	request := CompleteJobsRequest{Completions: append([]JobCompletion{}, completions...)}
	how := safely
	for i := range request.Completions {
		completion := &request.Completions[i].Completion
		*completion = claimNamed(*completion)
		if fenced(*completion) == ifNotSent {
			how = ifNotSent
		}
	}
	return resultsOf(call[JobResults](ctx, c.transport, opCompleteJobs(request), how, 0))
}

// FailJob gives an attempt up without a verdict. Never repeated after a lost answer. A [LostClaimError] says that the caller does not hold
// the job, or not any more.
func (c *Client) FailJob(ctx context.Context, jobID string, request FailJobRequest) (*Job, error) {
	return ofHolder(call[Job](ctx, c.transport, opFailJob(jobID, request), ifNotSent, 0))
}

// FailJobs gives 1..100 attempts up, each as [Client.FailJob] would, and answers a result for each in the same order; one that is refused
// leaves the others alone. Never repeated after a lost answer. Servers before release 1.3.0 do not have it.
func (c *Client) FailJobs(ctx context.Context, failures []JobFailure) ([]JobResult, error) {
	request := FailJobsRequest{Failures: append([]JobFailure{}, failures...)}
	return resultsOf(call[JobResults](ctx, c.transport, opFailJobs(request), ifNotSent, 0))
}

// ReleaseJob hands a claim back unused. Never repeated after a lost answer. A [LostClaimError] says that the caller does not hold the job,
// or not any more.
func (c *Client) ReleaseJob(ctx context.Context, jobID string, request ReleaseJobRequest) (*Job, error) {
	return ofHolder(call[Job](ctx, c.transport, opReleaseJob(jobID, request), ifNotSent, 0))
}

// CancelJob ends a queued or claimed job at once; a cancelled one is answered as it is.
func (c *Client) CancelJob(ctx context.Context, jobID string) (*Job, error) {
	return call[Job](ctx, c.transport, opCancelJob(jobID), safely, 0)
}

// RetryJob puts a dead or cancelled job back with at least one more attempt allowed. Never repeated after a lost answer.
func (c *Client) RetryJob(ctx context.Context, jobID string) (*Job, error) {
	return call[Job](ctx, c.transport, opRetryJob(jobID), ifNotSent, 0)
}

// GetJob reads a job.
func (c *Client) GetJob(ctx context.Context, jobID string) (*Job, error) {
	return call[Job](ctx, c.transport, opGetJob(jobID), safely, 0)
}

// ListJobs answers one page of jobs, newest first. Send the answer's next_page_token as page_token for the next one.
func (c *Client) ListJobs(ctx context.Context, query ListJobsQuery) (*ListJobsResponse, error) {
	return call[ListJobsResponse](ctx, c.transport, opListJobs(query), safely, 0)
}

// GetAttestation answers the attestation as the worker sent it, byte for byte; its SHA-256 is the job's attestation_digest.
func (c *Client) GetAttestation(ctx context.Context, jobID string) ([]byte, error) {
	t := c.transport
	got, err := t.tries(ctx, opGetAttestation(jobID), "*/*", safely, t.requestTimeout, t.triesMax)
	if err != nil {
		return nil, err
	}
	return got.body, nil
}

// ListQueues answers one page of queues by name. Send the answer's next_page_token as page_token for the next one.
func (c *Client) ListQueues(ctx context.Context, query ListQueuesQuery) (*ListQueuesResponse, error) {
	return call[ListQueuesResponse](ctx, c.transport, opListQueues(query), safely, 0)
}

// GetQueue reads a queue: its depth, and who called for its jobs without a fencing token.
func (c *Client) GetQueue(ctx context.Context, queue string) (*Queue, error) {
	return call[Queue](ctx, c.transport, opGetQueue(queue), safely, 0)
}

// UpdateQueue changes what the request names and leaves the rest.
func (c *Client) UpdateQueue(ctx context.Context, queue string, request UpdateQueueRequest) (*Queue, error) {
	return call[Queue](ctx, c.transport, opUpdateQueue(queue, request), safely, 0)
}

// ListAuditEvents answers sealed events of the audit log in their order, from the one after query.After on; none when nothing more is sealed
// yet.
func (c *Client) ListAuditEvents(ctx context.Context, query ListAuditEventsQuery) (*ListAuditEventsResponse, error) {
	return call[ListAuditEventsResponse](ctx, c.transport, opListAuditEvents(query), safely, 0)
}

// GetAuditHead reads how far the audit log is sealed.
func (c *Client) GetAuditHead(ctx context.Context) (*AuditHead, error) {
	return call[AuditHead](ctx, c.transport, opGetAuditHead(), safely, 0)
}

// AcquireLease leases paths exclusively, all or none. Repeated after a lost answer with the same request_id, so that a lease which the server
// gave already comes back; one is made when the request has none. Servers before release 1.5.0 do not have it.
func (c *Client) AcquireLease(ctx context.Context, request AcquireLeaseRequest) (*Lease, error) {
	request.Paths = append([]string{}, request.Paths...)
	if request.RequestId == nil {
		request.RequestId = Ptr(newRequestID())
	}
	var wait time.Duration
	if request.WaitSeconds != nil {
		wait = time.Duration(max(0, *request.WaitSeconds)) * time.Second
	}
	return call[Lease](ctx, c.transport, opAcquireLease(request), safely, wait)
}

// RenewLease keeps a lease. It is lost when the error's code is not_found or failed_precondition.
func (c *Client) RenewLease(ctx context.Context, leaseID string, request RenewLeaseRequest) (*Lease, error) {
	return call[Lease](ctx, c.transport, opRenewLease(leaseID, request), safely, 0)
}

// ReleaseLease gives a lease back; one that its holder has released before is answered as it is.
func (c *Client) ReleaseLease(ctx context.Context, leaseID string, request ReleaseLeaseRequest) (*Lease, error) {
	return call[Lease](ctx, c.transport, opReleaseLease(leaseID, request), safely, 0)
}

// ListLeases answers one page of the leases of a repo, newest first. Send the answer's next_page_token as page_token for the next one.
func (c *Client) ListLeases(ctx context.Context, query ListLeasesQuery) (*ListLeasesResponse, error) {
	return call[ListLeasesResponse](ctx, c.transport, opListLeases(query), safely, 0)
}

// Integrate takes a change in while its leases hold. Repeated after a lost answer with the same request_id, so that a change is integrated
// once; one is made when the request has none. Servers before release 1.5.0 do not have it.
func (c *Client) Integrate(ctx context.Context, request IntegrateRequest) (*Integration, error) {
	request.Paths = append([]string{}, request.Paths...)
	request.FencingTokens = append([]uint64{}, request.FencingTokens...)
	if request.RequestId == nil {
		request.RequestId = Ptr(newRequestID())
	}
	return call[Integration](ctx, c.transport, opIntegrate(request), safely, 0)
}

// GetIntegration reads an integration with the state that its job gives it now.
func (c *Client) GetIntegration(ctx context.Context, integrationID string) (*Integration, error) {
	return call[Integration](ctx, c.transport, opGetIntegration(integrationID), safely, 0)
}

// ListIntegrations answers one page of the integrations of a repo, newest first. Send the answer's next_page_token as page_token for the next
// one.
func (c *Client) ListIntegrations(ctx context.Context, query ListIntegrationsQuery) (*ListIntegrationsResponse, error) {
	return call[ListIntegrationsResponse](ctx, c.transport, opListIntegrations(query), safely, 0)
}

func keyed(requests ...EnqueueJobRequest) repeat {
	for _, request := range requests {
		if request.UniqueKey == nil {
			return ifNotSent
		}
	}
	return safely
}

func fenced(request CompleteJobRequest) repeat {
	if request.FencingToken == nil || *request.FencingToken == 0 {
		return ifNotSent
	}
	return safely
}

// claimNamed gives the claim of the next job a name. Without one a repeat would claim one more, and nobody would know of the first.
func claimNamed(request CompleteJobRequest) CompleteJobRequest {
	if request.ClaimNext != nil && request.ClaimNext.RequestId == nil {
		next := *request.ClaimNext
		next.RequestId = Ptr(newRequestID())
		request.ClaimNext = &next
	}
	return request
}

func ofHolder(job *Job, err error) (*Job, error) {
	return job, lostClaimTold(err)
}

func newRequestID() string {
	var id [16]byte
	if _, err := rand.Read(id[:]); err != nil {
		// From Go 1.24 on it never fails; before, only on a system that is broken.
		panic(err)
	}
	return fmt.Sprintf("%x", id)
}
