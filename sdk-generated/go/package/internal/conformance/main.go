// Command conformance is the driver by which the tests of the whole project run this SDK: one JSON object a line on standard input and output.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"

	agwp "agwp.dev/go"
)

const lineBytesMax = 16 << 20

// command is a line that came in; Do says which of the fields count.
type command struct {
	Do string `json:"do"`

	Server         string   `json:"server"`
	Queues         []string `json:"queues"`
	Label          string   `json:"label"`
	LeaseSeconds   *int     `json:"lease_seconds"`
	WaitSeconds    *int     `json:"wait_seconds"`
	Concurrency    *int     `json:"concurrency"`
	GraceSeconds   *float64 `json:"grace_seconds"`
	RequireFencing bool     `json:"require_fencing"`

	JobID             string   `json:"job_id"`
	Outcome           string   `json:"outcome"`
	Summary           string   `json:"summary"`
	RetryDelaySeconds *float64 `json:"retry_delay_seconds"`
	Attestation       *string  `json:"attestation"`
	Percent           int      `json:"percent"`
	Message           string   `json:"message"`

	Operation string          `json:"operation"`
	Queue     string          `json:"queue"`
	Request   json.RawMessage `json:"request"`
	Query     json.RawMessage `json:"query"`
	ID        json.RawMessage `json:"id"`
}

type event map[string]any

type driver struct {
	writing sync.Mutex
	out     *json.Encoder

	mutex    sync.Mutex
	worker   *agwp.Worker
	finishes map[string]chan command
	jobs     map[string]*agwp.ClaimedJob
	calls    sync.WaitGroup
}

func main() {
	slog.SetDefault(slog.New(slog.NewTextHandler(os.Stderr, nil)))
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	d := &driver{out: out, finishes: map[string]chan command{}, jobs: map[string]*agwp.ClaimedJob{}}
	d.tell(event{"event": "ready"})
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, lineBytesMax)
	for lines.Scan() {
		var c command
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			d.tell(event{"event": "invalid", "message": err.Error()})
			continue
		}
		d.do(c)
	}
	d.close()
	d.calls.Wait()
}

func (d *driver) tell(e event) {
	d.writing.Lock()
	defer d.writing.Unlock()
	if err := d.out.Encode(e); err != nil {
		slog.Error("an event could not be written", "error", err)
	}
}

func (d *driver) do(c command) {
	switch c.Do {
	case "start":
		if err := d.start(c); err != nil {
			d.tell(event{"event": "invalid", "message": err.Error()})
		}
	case "finish":
		select {
		case d.finishOf(c.JobID) <- c:
		default:
			slog.Warn("the job was finished already", "job_id", c.JobID)
		}
	case "progress":
		d.mutex.Lock()
		job := d.jobs[c.JobID]
		d.mutex.Unlock()
		if job == nil {
			d.tell(event{"event": "invalid", "message": "no handler runs for job " + c.JobID})
		} else if err := job.Progress(c.Percent, c.Message); err != nil {
			d.tell(event{"event": "invalid", "message": err.Error()})
		}
	case "close":
		go d.close()
	case "call":
		d.calls.Add(1)
		go func() {
			defer d.calls.Done()
			d.call(c)
		}()
	default:
		d.tell(event{"event": "invalid", "message": "unknown command " + c.Do})
	}
}

func (d *driver) start(c command) error {
	client, err := agwp.NewClient(c.Server)
	if err != nil {
		return err
	}
	worker, err := agwp.NewWorker(client, c.Label, c.Queues, d.handle, append(options(c), agwp.WithListener(d.listener()))...)
	if err != nil {
		return err
	}
	d.mutex.Lock()
	d.worker = worker
	d.mutex.Unlock()
	d.tell(event{"event": "started"})
	go func() {
		ended := event{"event": "ended"}
		if err := worker.Run(context.Background()); err != nil {
			ended["error"] = err.Error()
			ended["type"] = typeOf(err)
		}
		d.tell(ended)
	}()
	return nil
}

func options(c command) []agwp.WorkerOption {
	var options []agwp.WorkerOption
	if c.LeaseSeconds != nil {
		options = append(options, agwp.WithLeaseSeconds(*c.LeaseSeconds))
	}
	if c.WaitSeconds != nil {
		options = append(options, agwp.WithWaitSeconds(*c.WaitSeconds))
	}
	if c.Concurrency != nil {
		options = append(options, agwp.WithConcurrency(*c.Concurrency))
	}
	if c.GraceSeconds != nil {
		options = append(options, agwp.WithGrace(seconds(*c.GraceSeconds)))
	}
	if c.RequireFencing {
		options = append(options, agwp.WithRequireFencing())
	}
	return options
}

func (d *driver) listener() agwp.Listener {
	return agwp.Listener{
		Reported: func(job agwp.Job, outcome agwp.Outcome) {
			d.tell(event{"event": "reported", "job_id": job.JobId, "outcome": outcome.Word()})
		},
		Released: func(job agwp.Job) { d.tell(event{"event": "released", "job_id": job.JobId}) },
		Lost: func(job agwp.Job, why string) {
			d.tell(event{"event": "lost", "job_id": job.JobId, "why": why})
		},
		Unknown:     func(job agwp.Job, _ agwp.Outcome) { d.tell(event{"event": "unknown", "job_id": job.JobId}) },
		Unavailable: func(error) { d.tell(event{"event": "unavailable"}) },
	}
}

func (d *driver) handle(ctx context.Context, job *agwp.ClaimedJob) (agwp.Outcome, error) {
	finish := d.finishOf(job.ID())
	d.mutex.Lock()
	d.jobs[job.ID()] = job
	d.mutex.Unlock()
	defer func() {
		d.mutex.Lock()
		defer d.mutex.Unlock()
		delete(d.jobs, job.ID())
		delete(d.finishes, job.ID())
	}()
	d.tell(event{"event": "claimed", "job_id": job.ID(), "attempts": job.Attempts(), "fencing_token": job.FencingToken()})
	select {
	case c := <-finish:
		return outcome(c)
	case <-ctx.Done():
		d.tell(event{"event": "stopped", "job_id": job.ID()})
		return nil, context.Cause(ctx)
	}
}

func (d *driver) finishOf(jobID string) chan command {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if d.finishes[jobID] == nil {
		d.finishes[jobID] = make(chan command, 1)
	}
	return d.finishes[jobID]
}

func outcome(c command) (agwp.Outcome, error) {
	switch c.Outcome {
	case "passed":
		return attested(agwp.Passed(c.Summary), c), nil
	case "failed":
		return attested(agwp.Failed(c.Summary), c), nil
	case "retry":
		if c.RetryDelaySeconds == nil {
			return agwp.Retry("driver_retry", c.Summary), nil
		}
		return agwp.RetryAfter("driver_retry", c.Summary, seconds(*c.RetryDelaySeconds)), nil
	default:
		return nil, fmt.Errorf("thrown by the driver: %s", c.Summary)
	}
}

func attested(verdict agwp.Verdict, c command) agwp.Verdict {
	if c.Attestation == nil {
		return verdict
	}
	return verdict.WithAttestation("text/plain", []byte(*c.Attestation))
}

func seconds(number float64) time.Duration {
	return time.Duration(number * float64(time.Second))
}

// close may be called more than once; only the first that finds a worker says so.
func (d *driver) close() {
	d.mutex.Lock()
	worker := d.worker
	d.worker = nil
	d.mutex.Unlock()
	if worker != nil {
		worker.Close()
		d.tell(event{"event": "closed"})
	}
}

func (d *driver) call(c command) {
	client, err := agwp.NewClient(c.Server)
	if err == nil {
		var body any
		if body, err = answer(client, c); err == nil {
			d.tell(event{"event": "answer", "id": c.ID, "body": body})
			return
		}
	}
	var refused *agwp.Error
	if !errors.As(err, &refused) {
		d.tell(event{"event": "invalid", "id": c.ID, "message": err.Error()})
		return
	}
	told := event{
		"event": "refused", "id": c.ID, "type": typeOf(err),
		"code": refused.Code, "status": refused.Status, "detail": refused.Detail,
	}
	if refused.Reason != "" {
		told["reason"] = refused.Reason
	}
	d.tell(told)
}

func answer(client *agwp.Client, c command) (any, error) {
	ctx := context.Background()
	switch c.Operation {
	case "enqueueJob":
		return sent(c.Request, func(request agwp.EnqueueJobRequest) (*agwp.Job, error) {
			return client.EnqueueJob(ctx, request)
		})
	case "enqueueJobs":
		return sent(c.Request, func(request agwp.EnqueueJobsRequest) (*agwp.EnqueueJobsResponse, error) {
			jobs, err := client.EnqueueJobs(ctx, request.Jobs)
			return &agwp.EnqueueJobsResponse{Jobs: jobs}, err
		})
	case "claimJob":
		return sent(c.Request, func(request agwp.ClaimJobRequest) (*agwp.ClaimJobResponse, error) {
			return client.ClaimJob(ctx, request)
		})
	case "heartbeatJob":
		return sent(c.Request, func(request agwp.HeartbeatJobRequest) (*agwp.Job, error) {
			return client.HeartbeatJob(ctx, c.JobID, request)
		})
	case "completeJob":
		return sent(c.Request, func(request agwp.CompleteJobRequest) (*agwp.Job, error) {
			return client.CompleteJob(ctx, c.JobID, request)
		})
	case "failJob":
		return sent(c.Request, func(request agwp.FailJobRequest) (*agwp.Job, error) {
			return client.FailJob(ctx, c.JobID, request)
		})
	case "releaseJob":
		return sent(c.Request, func(request agwp.ReleaseJobRequest) (*agwp.Job, error) {
			return client.ReleaseJob(ctx, c.JobID, request)
		})
	case "updateQueue":
		return sent(c.Request, func(request agwp.UpdateQueueRequest) (*agwp.Queue, error) {
			return client.UpdateQueue(ctx, c.Queue, request)
		})
	case "listJobs":
		return sent(c.Query, func(query agwp.ListJobsQuery) (*agwp.ListJobsResponse, error) { return client.ListJobs(ctx, query) })
	case "listQueues":
		return sent(c.Query, func(query agwp.ListQueuesQuery) (*agwp.ListQueuesResponse, error) {
			return client.ListQueues(ctx, query)
		})
	case "getJob":
		return client.GetJob(ctx, c.JobID)
	case "cancelJob":
		return client.CancelJob(ctx, c.JobID)
	case "retryJob":
		return client.RetryJob(ctx, c.JobID)
	case "getAttestation":
		// Bytes: base64 in JSON, as in the contract's other messages.
		return client.GetAttestation(ctx, c.JobID)
	case "getQueue":
		return client.GetQueue(ctx, c.Queue)
	}
	return nil, fmt.Errorf("unknown operation %q", c.Operation)
}

// sent reads the request strictly: what the SDK's type does not have is an error, as it would be for the compiler.
func sent[Q, A any](text json.RawMessage, call func(Q) (*A, error)) (any, error) {
	var request Q
	if len(text) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&request); err != nil {
			return nil, err
		}
		if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
			return nil, errors.New("more than one JSON value")
		}
	}
	return call(request)
}

func typeOf(err error) string {
	var unfenced *agwp.UnfencedServerError
	var lost *agwp.LostClaimError
	var none *agwp.NoAnswerError
	var refused *agwp.Error
	switch {
	case errors.As(err, &unfenced):
		return "UnfencedServer"
	case errors.As(err, &lost):
		return "LostClaim"
	case errors.As(err, &none):
		return "NoAnswer"
	case errors.As(err, &refused):
		return "Agwp"
	}
	return fmt.Sprintf("%T", err)
}
