package agwp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"regexp"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	jobsPerClaimMax     = 100
	unavailablePauseMax = 5 * time.Second
	releaseWithin       = 30 * time.Second

	leaseSecondsMax = 86_400
	waitSecondsMax  = 60
	concurrencyMax  = 1_000
	queuesMax       = 32
)

var (
	labelPattern = regexp.MustCompile(`^[A-Za-z0-9._:/@-]{1,128}$`)
	queuePattern = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)
)

// Handler does the job and says how that ended. Its context is cancelled when the claim is lost ([ErrClaimLost]) or the worker closes and
// its grace is over ([ErrWorkerClosed]); what it returns after that is not reported. An error, a panic and a nil outcome each fail the
// attempt, to be tried again after the server's backoff.
type Handler func(ctx context.Context, job *ClaimedJob) (Outcome, error)

// Listener hears what a worker does, for logs and progress lines. Each function may be nil; they are called on the worker's goroutines: be
// quick, and expect several calls at once.
type Listener struct {
	// Claimed hears that a job was claimed and its handler begins.
	Claimed func(job Job)
	// Reported hears that the server has taken the outcome.
	Reported func(job Job, outcome Outcome)
	// Released hears that the claim went back unused, since the worker closes.
	Released func(job Job)
	// Lost hears that the claim was lost, so the handler was stopped and nothing is reported; why is in words.
	Lost func(job Job, why string)
	// Unknown hears that no answer came to the outcome, so whether the server has it is not known; the lease will tell.
	Unknown func(job Job, outcome Outcome)
	// Unavailable hears that the server could not be reached for a claim; the worker tries again.
	Unavailable func(err error)
}

type workerOptions struct {
	leaseSeconds   int
	waitSeconds    int
	concurrency    int
	grace          time.Duration
	requireFencing bool
	listener       Listener
}

// WorkerOption changes how a worker works.
type WorkerOption func(*workerOptions)

// WithLeaseSeconds says for how many seconds a claim is held without a heartbeat; one is sent at each third of it. 1..86400. Defaults to 60.
func WithLeaseSeconds(seconds int) WorkerOption {
	return func(options *workerOptions) { options.leaseSeconds = seconds }
}

// WithWaitSeconds says for how many seconds the server holds a claim open while there is no job. 0..60. Defaults to 20.
func WithWaitSeconds(seconds int) WorkerOption {
	return func(options *workerOptions) { options.waitSeconds = seconds }
}

// WithConcurrency says how many jobs run at once, each on a goroutine of its own. 1..1000. Defaults to 1.
func WithConcurrency(jobs int) WorkerOption {
	return func(options *workerOptions) { options.concurrency = jobs }
}

// WithGrace says how long a worker that closes lets its handlers run before it cancels them. 0 or more. Defaults to 10 seconds.
func WithGrace(grace time.Duration) WorkerOption {
	return func(options *workerOptions) { options.grace = grace }
}

// WithRequireFencing works only on servers that say they check fencing tokens, which they do from release 1.2.0 on: on another the worker
// hands back what it was given and ends with [UnfencedServerError]. Not required by default: the token is sent anyhow.
func WithRequireFencing() WorkerOption {
	return func(options *workerOptions) { options.requireFencing = true }
}

// WithListener says who hears what the worker does. Defaults to nobody.
func WithListener(listener Listener) WorkerOption {
	return func(options *workerOptions) { options.listener = listener }
}

// Worker claims jobs and runs a handler for each, heartbeats meanwhile and reports how it ended.
//
// When the server says that a claim is lost, or its lease has run out while the server could not be reached, the handler's context is
// cancelled and nothing is reported. A worker that closes claims no more, gives its handlers a grace time, then cancels them and hands
// their claims back.
type Worker struct {
	client  *Client
	label   string
	queues  []string
	handler Handler
	options workerOptions
	reports *reports

	// claiming ends when the worker closes; draining is set when its grace is over.
	claiming     context.Context
	stopClaiming context.CancelFunc
	draining     atomic.Bool
	// slots holds one item for each job that may yet be claimed.
	slots   chan struct{}
	running sync.WaitGroup
	started atomic.Bool
	ended   chan struct{}
}

// session is what the goroutines of one run share: contexts that outlast the closing of the worker.
type session struct {
	handling context.Context
	stop     context.CancelCauseFunc
	// reporting carries heartbeats and reports.
	reporting context.Context
}

// NewWorker makes a worker; Run starts it. The label names it beside others of the same principal, 1 to 128 characters of
// A-Z a-z 0-9 . _ : / @ -; two that run at once need different ones. There are 1 to 32 queues. It fails when an argument is out of its
// range; the error says which.
func NewWorker(client *Client, label string, queues []string, handler Handler, options ...WorkerOption) (*Worker, error) {
	chosen := workerOptions{leaseSeconds: 60, waitSeconds: 20, concurrency: 1, grace: 10 * time.Second}
	for _, option := range options {
		option(&chosen)
	}
	if err := check(client, label, queues, handler, chosen); err != nil {
		return nil, err
	}
	w := &Worker{
		client:  client,
		label:   label,
		queues:  slices.Clone(queues),
		handler: handler,
		options: chosen,
		reports: &reports{client, time.Duration(chosen.leaseSeconds) * time.Second},
		slots:   make(chan struct{}, chosen.concurrency),
		ended:   make(chan struct{}),
	}
	w.claiming, w.stopClaiming = context.WithCancel(context.Background())
	for range chosen.concurrency {
		w.slots <- struct{}{}
	}
	return w, nil
}

func check(client *Client, label string, queues []string, handler Handler, options workerOptions) error {
	if client == nil || handler == nil {
		return errors.New("agwp: a worker needs a client and a handler")
	}
	if !labelPattern.MatchString(label) {
		return fmt.Errorf("agwp: label must be 1..128 characters of A-Z a-z 0-9 . _ : / @ -, got %q", label)
	}
	if len(queues) < 1 || len(queues) > queuesMax {
		return fmt.Errorf("agwp: there must be 1..%d queues, got %d", queuesMax, len(queues))
	}
	for _, queue := range queues {
		if !queuePattern.MatchString(queue) {
			return fmt.Errorf("agwp: a queue must be 1..128 characters of A-Z a-z 0-9 . _ : -, got %q", queue)
		}
	}
	if options.grace < 0 {
		return fmt.Errorf("agwp: grace must not be negative, got %v", options.grace)
	}
	return errors.Join(
		inRange("lease_seconds", options.leaseSeconds, 1, leaseSecondsMax),
		inRange("wait_seconds", options.waitSeconds, 0, waitSecondsMax),
		inRange("concurrency", options.concurrency, 1, concurrencyMax))
}

func inRange(name string, value, least, most int) error {
	if value < least || value > most {
		return fmt.Errorf("agwp: %s must be %d..%d, got %d", name, least, most, value)
	}
	return nil
}

// Run claims and works until the context ends or [Worker.Close] is called, which are the same: the worker claims no more, waits the grace
// for its handlers, then cancels them and hands their claims back, and Run returns nil.
//
// It closes in the same way and returns an error when the server refuses the claims themselves, for example for a queue name that is none
// ([Error]) or because it refuses the token ([AccessRefusedError]), or when fencing is required and the server does not check it ([UnfencedServerError]); and it returns an error when
// handlers did not stop within 30 seconds after they were cancelled. A worker runs once.
func (w *Worker) Run(ctx context.Context) error {
	if !w.started.CompareAndSwap(false, true) {
		return errors.New("agwp: a worker runs once; make another")
	}
	defer close(w.ended)
	defer context.AfterFunc(ctx, w.stopClaiming)()

	kept := context.WithoutCancel(ctx)
	handling, stop := context.WithCancelCause(kept)
	reporting, stopReporting := context.WithCancel(kept)
	defer stopReporting()
	run := &session{handling, stop, reporting}

	err := w.claimUntilClosed(run)
	w.stopClaiming()
	return errors.Join(err, w.drain(run))
}

// Close is as the end of Run's context, and waits until Run has returned. Not to be called by a handler, for which it would wait.
func (w *Worker) Close() {
	w.stopClaiming()
	if w.started.Load() {
		<-w.ended
	}
}

func (w *Worker) claimUntilClosed(run *session) error {
	for {
		free := w.takeSlots()
		if w.claiming.Err() != nil {
			return nil
		}
		jobs, late, err := w.claim(run, free)
		for range free - len(jobs) {
			w.slots <- struct{}{}
		}
		if err != nil {
			return err
		}
		for _, job := range jobs {
			w.start(run, job, late)
		}
	}
}

// takeSlots waits for a free slot, or for the worker to close, and takes all that are free.
func (w *Worker) takeSlots() int {
	select {
	case <-w.slots:
	case <-w.claiming.Done():
		return 0
	}
	free := 1
	for ; free < jobsPerClaimMax; free++ {
		select {
		case <-w.slots:
			continue
		default:
		}
		break
	}
	return free
}

// claim repeats one claim request until it is answered: an answer that was lost must not strand the jobs in it. It answers no jobs when the
// worker closes.
func (w *Worker) claim(run *session, jobsMax int) (jobs []Job, late bool, err error) {
	request := ClaimJobRequest{
		Queues:       w.queues,
		Worker:       w.label,
		LeaseSeconds: Ptr(int32(w.options.leaseSeconds)),
		WaitSeconds:  Ptr(int32(w.options.waitSeconds)),
		MaxJobs:      Ptr(int32(jobsMax)),
		RequestId:    Ptr(newRequestID()),
	}
	lateAfter := time.Duration(w.options.waitSeconds)*time.Second + w.reports.lease/3
	for sent := time.Now(); ; {
		answer, err := w.client.ClaimJob(w.claiming, request)
		if err == nil && w.options.requireFencing && (answer.FencingEnforced == nil || !*answer.FencingEnforced) {
			w.handBack(run, answer.Jobs)
			return nil, false, &UnfencedServerError{}
		}
		if err == nil {
			// Counted from the first try: the jobs may have been given to one whose answer was lost.
			return answer.Jobs, time.Since(sent) > lateAfter, nil
		}
		if w.claiming.Err() != nil {
			break
		}
		if !mayPass(err) {
			return nil, false, err
		}
		if w.options.listener.Unavailable != nil {
			w.options.listener.Unavailable(err)
		}
		sleep(w.claiming, rand.N(unavailablePauseMax))
	}
	w.takeBack(run, request)
	return nil, false, nil
}

// takeBack hands back what a claim that was broken off may have been given. Asked again under its id the server names it.
func (w *Worker) takeBack(run *session, request ClaimJobRequest) {
	request.WaitSeconds = Ptr(int32(0))
	w.running.Add(1)
	go func() {
		defer w.running.Done()
		answer, err := w.client.ClaimJob(run.reporting, request)
		if err != nil {
			slog.Debug("agwp: could not ask for the jobs of the last claim, their leases will run out", "error", err)
			return
		}
		w.handBack(run, answer.Jobs)
	}()
}

func (w *Worker) handBack(run *session, jobs []Job) {
	for _, job := range jobs {
		w.running.Add(1)
		go func() {
			defer w.running.Done()
			w.release(run, newClaim(w.client, job, w.label, int32(w.options.leaseSeconds), func(error) {}))
		}()
	}
}

func (w *Worker) start(run *session, job Job, late bool) {
	handling, stop := context.WithCancelCause(run.handling)
	c := newClaim(w.client, job, w.label, int32(w.options.leaseSeconds), stop)
	heartbeats, stopHeartbeats := context.WithCancel(run.reporting)
	go c.heartbeat(heartbeats, late)
	w.running.Add(1)
	go func() {
		defer w.running.Done()
		defer func() { w.slots <- struct{}{} }()
		defer stop(nil)
		// Also where the handler ends this goroutine: the lease must run out then.
		defer stopHeartbeats()
		w.work(handling, run, c)
	}()
}

func (w *Worker) work(handling context.Context, run *session, c *claim) {
	if w.claiming.Err() != nil {
		// The answer and the closing crossed.
		w.release(run, c)
		return
	}
	listener := w.options.listener
	if listener.Claimed != nil {
		listener.Claimed(c.job)
	}
	outcome := w.outcome(handling, c)
	if w.draining.Load() {
		w.release(run, c)
		return
	}
	if held, why := c.beginEnd(); !held {
		w.tellLost(c, why)
		return
	}
	switch w.reports.report(run.reporting, c, outcome) {
	case reportTaken:
		if listener.Reported != nil {
			listener.Reported(c.job, outcome)
		}
	case reportLost:
		w.tellLost(c, "the server refused its outcome: the claim was lost before")
	case reportUnknown:
		if listener.Unknown != nil {
			listener.Unknown(c.job, outcome)
		}
	}
}

func (w *Worker) outcome(handling context.Context, c *claim) (outcome Outcome) {
	// The worker's boundary: whatever a handler does ends its attempt, never this program, and never in silence.
	defer func() {
		if thrown := recover(); thrown != nil {
			slog.Warn("agwp: the handler panicked", "job_id", c.job.JobId, "panic", thrown, "stack", string(debug.Stack()))
			outcome = Retry("handler_failed", cut(fmt.Sprint("panic: ", thrown)))
		}
	}()
	outcome, err := w.handler(handling, &ClaimedJob{c})
	if err != nil {
		if handling.Err() == nil {
			slog.Warn("agwp: the handler failed", "job_id", c.job.JobId, "error", err)
		}
		return Retry("handler_failed", cut(err.Error()))
	}
	if outcome == nil {
		return Retry("no_outcome", "the handler returned no outcome")
	}
	return outcome
}

func (w *Worker) release(run *session, c *claim) {
	if held, why := c.beginEnd(); !held {
		w.tellLost(c, why)
		return
	}
	switch w.reports.release(run.reporting, c) {
	case reportTaken:
		if w.options.listener.Released != nil {
			w.options.listener.Released(c.job)
		}
	case reportLost:
		w.tellLost(c, "the server refused the release: the claim was lost before")
	case reportUnknown:
		slog.Warn("agwp: no answer to the release, the lease will run out", "job_id", c.job.JobId)
	}
}

func (w *Worker) tellLost(c *claim, why string) {
	if w.options.listener.Lost != nil {
		w.options.listener.Lost(c.job, why)
	}
}

// drain waits for running handlers for the grace time, then cancels them and waits until their claims are handed back.
func (w *Worker) drain(run *session) error {
	finished := make(chan struct{})
	go func() {
		w.running.Wait()
		close(finished)
	}()
	defer run.stop(ErrWorkerClosed)
	select {
	case <-finished:
		return nil
	case <-time.After(w.options.grace):
	}
	w.draining.Store(true)
	run.stop(ErrWorkerClosed)
	select {
	case <-finished:
		return nil
	case <-time.After(releaseWithin):
		return fmt.Errorf("agwp: handlers or their last calls did not end within %v after they were cancelled; their leases will run out",
			releaseWithin)
	}
}
