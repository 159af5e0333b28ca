package agwp_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	agwp "agwp.dev/go"
)

// running is a worker under test and what its listener heard.
type running struct {
	*agwp.Worker
	mutex  sync.Mutex
	events []string
	ended  chan error
}

// aWorker runs until the test ends.
func aWorker(t *testing.T, address, queue string, handler agwp.Handler, options ...agwp.WorkerOption) *running {
	t.Helper()
	r := &running{ended: make(chan error, 1)}
	listener := agwp.Listener{
		Claimed:     func(job agwp.Job) { r.hear("claimed", job.JobId) },
		Reported:    func(job agwp.Job, outcome agwp.Outcome) { r.hear("reported "+outcome.Word(), job.JobId) },
		Released:    func(job agwp.Job) { r.hear("released", job.JobId) },
		Lost:        func(job agwp.Job, _ string) { r.hear("lost", job.JobId) },
		Unknown:     func(job agwp.Job, _ agwp.Outcome) { r.hear("unknown", job.JobId) },
		Unavailable: func(error) { r.hear("unavailable", "") },
	}
	options = append([]agwp.WorkerOption{agwp.WithWaitSeconds(5), agwp.WithGrace(0), agwp.WithListener(listener)}, options...)
	r.Worker = must(agwp.NewWorker(aClient(t, address), "w1", []string{queue}, handler, options...))(t)
	go func() { r.ended <- r.Run(context.Background()) }()
	t.Cleanup(r.Close)
	return r
}

func (r *running) hear(what, jobID string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.events = append(r.events, strings.TrimSpace(what+" "+jobID))
}

func (r *running) heard(what, jobID string) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for _, event := range r.events {
		if event == strings.TrimSpace(what+" "+jobID) {
			return true
		}
	}
	return false
}

func (r *running) await(t *testing.T, what, jobID string) {
	t.Helper()
	await(t, what, func() bool { return r.heard(what, jobID) })
}

func passes(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) {
	return agwp.Passed("fine"), nil
}

// untilStopped is a handler that works until its context ends, and tells why that was.
func untilStopped(causes chan<- error) agwp.Handler {
	return func(ctx context.Context, _ *agwp.ClaimedJob) (agwp.Outcome, error) {
		<-ctx.Done()
		causes <- context.Cause(ctx)
		return agwp.Failed("stopped halfway"), nil
	}
}

func sound(call, int) fault {
	return pass
}

// at breaks the first call of an operation.
func at(operation string, what fault) func(call, int) fault {
	return func(got call, nth int) fault {
		if got.operation() == operation && nth == 1 {
			return what
		}
		return pass
	}
}

func Test_an_outcome_reaches_the_server_with_all_it_carries(t *testing.T) {
	p := aProxy(t, sound)
	client, queue := aClient(t, p.address), aQueue()
	job := must(client.EnqueueJob(context.Background(), agwp.EnqueueJobRequest{Queue: queue, Payload: agwp.Object{"n": 9007199254740993}}))(t)
	body := []byte("evidence")
	w := aWorker(t, p.address, queue, func(_ context.Context, job *agwp.ClaimedJob) (agwp.Outcome, error) {
		var payload struct{ N uint64 }
		if err := job.Payload().Decode(&payload); err != nil || payload.N != 9007199254740993 || job.FencingToken() != 1 || job.IsLost() {
			return agwp.Dead("wrong_job", job.ID()), err
		}
		return agwp.Failed("two are wrong").WithResult(agwp.Object{"wrong": 2}).WithLogURL("https://logs/1").WithAttestation("text/plain", body), nil
	})

	w.await(t, "reported failed", job.JobId)
	done := theJob(t, client, job.JobId)
	equal(t, "state", done.State, agwp.JobStateSucceeded)
	equal(t, "outcome", *done.Outcome, "failed")
	equal(t, "summary", *done.Summary, "two are wrong")
	equal(t, "log", *done.LogUrl, "https://logs/1")
	if got := must(client.GetAttestation(context.Background(), job.JobId))(t); !bytes.Equal(got, body) {
		t.Errorf("attestation is %q", got)
	}
}

func Test_what_a_handler_does_wrong_fails_the_attempt(t *testing.T) {
	for name, each := range map[string]struct {
		handler agwp.Handler
		reason  string
		message string
	}{
		"an error": {func(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) {
			return nil, errors.New("no " + strings.Repeat("\U0001F600", 3000))
		}, "handler_failed", "no " + strings.Repeat("\U0001F600", 2046)},
		"a panic": {func(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) {
			panic("oh")
		}, "handler_failed", "panic: oh"},
		"no outcome": {func(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) {
			return nil, nil
		}, "no_outcome", "the handler returned no outcome"},
		"an outcome that is refused": {func(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) {
			return agwp.Passed(strings.Repeat("x", 4097)), nil
		}, "outcome_refused", "the outcome was refused: summary must be text of at most 4096 characters"},
		"a retry": {func(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) {
			return agwp.RetryAfter("not_yet", "later", 3599500*time.Millisecond), nil
		}, "not_yet", "later"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			client, queue := aClient(t, server(t)), aQueue()
			job := aJob(t, client, queue)
			w := aWorker(t, server(t), queue, each.handler)
			await(t, "reported", func() bool { return w.heard("reported none", job.JobId) || w.heard("reported passed", job.JobId) })
			now := theJob(t, client, job.JobId)
			equal(t, "state", now.State, agwp.JobStateQueued)
			equal(t, "reason", now.LastError.Reason, each.reason)
			equal(t, "message", *now.LastError.Message, each.message)
			if name == "a retry" && now.RunAt.Sub(now.UpdatedAt) != time.Hour {
				t.Errorf("runs in %v", now.RunAt.Sub(now.UpdatedAt))
			}
		})
	}
}

func Test_a_dead_job_is_not_tried_again(t *testing.T) {
	client, queue := aClient(t, server(t)), aQueue()
	job := aJob(t, client, queue)
	w := aWorker(t, server(t), queue, func(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) { return agwp.Dead("no_use", ""), nil })
	w.await(t, "reported none", job.JobId)
	equal(t, "state", theJob(t, client, job.JobId).State, agwp.JobStateDead)
}

func Test_every_call_of_a_claim_carries_its_token(t *testing.T) {
	p := aProxy(t, sound)
	client, queue := aClient(t, p.address), aQueue()
	ctx := context.Background()
	job := aJob(t, client, queue)
	must(client.ClaimJob(ctx, agwp.ClaimJobRequest{Queues: []string{queue}, Worker: "other"}))(t)
	must(client.ReleaseJob(ctx, job.JobId, agwp.ReleaseJobRequest{Worker: "other"}))(t)
	progress := make(chan struct{})
	w := aWorker(t, p.address, queue, func(_ context.Context, job *agwp.ClaimedJob) (agwp.Outcome, error) {
		if job.Progress(101, "") == nil || job.Progress(1, strings.Repeat("x", 4097)) == nil {
			return nil, errors.New("progress out of range was taken")
		}
		err := job.Progress(40, "half way")
		<-progress
		return agwp.Passed(""), err
	}, agwp.WithLeaseSeconds(1))
	await(t, "a heartbeat", func() bool { return len(p.of("heartbeat")) >= 2 })
	equal(t, "progress", *theJob(t, client, job.JobId).Progress, 40)
	close(progress)
	w.await(t, "reported passed", job.JobId)

	for _, each := range append(p.of("heartbeat"), p.of("complete")...) {
		equal(t, "token of "+each.operation(), each.field("fencing_token"), any(2.0))
	}
	equal(t, "message", p.of("heartbeat")[0].field("status_message"), any("half way"))
}

func Test_a_refused_heartbeat_stops_the_handler_and_nothing_is_reported(t *testing.T) {
	p := aProxy(t, sound)
	client, queue := aClient(t, p.address), aQueue()
	job := aJob(t, client, queue)
	causes := make(chan error, 1)
	w := aWorker(t, p.address, queue, untilStopped(causes), agwp.WithLeaseSeconds(1))
	w.await(t, "claimed", job.JobId)
	must(client.CancelJob(context.Background(), job.JobId))(t)

	if cause := receive(t, "a stopped handler", causes); !errors.Is(cause, agwp.ErrClaimLost) {
		t.Errorf("got %v", cause)
	}
	w.await(t, "lost", job.JobId)
	equal(t, "completions", len(p.of("complete")), 0)
	equal(t, "state", theJob(t, client, job.JobId).State, agwp.JobStateCancelled)
}

func Test_a_lease_that_runs_out_while_the_server_is_gone_is_a_lost_claim(t *testing.T) {
	p := aProxy(t, func(got call, _ int) fault {
		if got.operation() == "heartbeat" {
			return loseRequest
		}
		return pass
	})
	queue := aQueue()
	job := aJob(t, aClient(t, p.address), queue)
	causes := make(chan error, 1)
	w := aWorker(t, p.address, queue, untilStopped(causes), agwp.WithLeaseSeconds(1))

	if cause := receive(t, "a stopped handler", causes); !errors.Is(cause, agwp.ErrClaimLost) {
		t.Errorf("got %v", cause)
	}
	w.await(t, "lost", job.JobId)
	equal(t, "completions", len(p.of("complete")), 0)
	if len(p.of("heartbeat")) < 3 {
		t.Errorf("a heartbeat without an answer is sent again, there were %d", len(p.of("heartbeat")))
	}
}

func Test_a_heartbeat_without_an_answer_is_no_loss(t *testing.T) {
	p := aProxy(t, at("heartbeat", loseAnswer))
	client, queue := aClient(t, p.address), aQueue()
	job := aJob(t, client, queue)
	w := aWorker(t, p.address, queue, func(ctx context.Context, _ *agwp.ClaimedJob) (agwp.Outcome, error) {
		for len(p.of("heartbeat")) < 3 && ctx.Err() == nil {
			<-time.After(5 * time.Millisecond)
		}
		return agwp.Passed(""), nil
	}, agwp.WithLeaseSeconds(1))
	w.await(t, "reported passed", job.JobId)
}

func Test_a_heartbeat_that_races_its_own_completion_is_no_loss(t *testing.T) {
	beating, completed := make(chan struct{}), make(chan struct{})
	p := aProxy(t, func(got call, nth int) fault {
		if got.operation() == "heartbeat" && nth == 1 {
			close(beating)
			<-completed
		}
		if got.operation() == "complete" {
			// The server has the completion; its answer comes after the refusal of the heartbeat.
			_, _, _, _ = forward(context.Background(), server(t), got)
			close(completed)
			<-time.After(200 * time.Millisecond)
		}
		return pass
	})
	queue := aQueue()
	job := aJob(t, aClient(t, p.address), queue)
	var worked atomic.Pointer[agwp.ClaimedJob]
	w := aWorker(t, p.address, queue, func(_ context.Context, job *agwp.ClaimedJob) (agwp.Outcome, error) {
		worked.Store(job)
		<-beating
		return agwp.Passed(""), nil
	}, agwp.WithLeaseSeconds(3))
	w.await(t, "reported passed", job.JobId)

	equal(t, "lost", worked.Load().IsLost() || w.heard("lost", job.JobId), false)
}

func Test_a_completion_whose_answer_was_lost_is_repeated_and_was_taken_once(t *testing.T) {
	p := aProxy(t, at("complete", loseAnswer))
	client, queue := aClient(t, p.address), aQueue()
	job := aJob(t, client, queue)
	w := aWorker(t, p.address, queue, passes)
	w.await(t, "reported passed", job.JobId)
	equal(t, "completions", len(p.of("complete")), 2)
	equal(t, "state", theJob(t, client, job.JobId).State, agwp.JobStateSucceeded)
}

func Test_a_failure_is_sent_again_only_when_the_job_is_still_held(t *testing.T) {
	for name, each := range map[string]struct {
		what  fault
		calls int
	}{"its answer was lost": {loseAnswer, 1}, "it never came": {loseRequest, 2}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := aProxy(t, at("fail", each.what))
			client, queue := aClient(t, p.address), aQueue()
			job := aJob(t, client, queue)
			w := aWorker(t, p.address, queue, func(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) {
				return agwp.RetryAfter("not_yet", "", time.Hour), nil
			})
			w.await(t, "reported none", job.JobId)
			equal(t, "failures", len(p.of("fail")), each.calls)
			equal(t, "token", p.of("fail")[0].field("fencing_token"), any(1.0))
			equal(t, "reason", theJob(t, client, job.JobId).LastError.Reason, "not_yet")
		})
	}
}

func Test_a_claim_whose_answer_was_lost_strands_no_job(t *testing.T) {
	p := aProxy(t, at("claim", loseAnswer))
	client, queue := aClient(t, p.address), aQueue()
	job := aJob(t, client, queue)
	w := aWorker(t, p.address, queue, passes)
	w.await(t, "reported passed", job.JobId)
	equal(t, "attempts", theJob(t, client, job.JobId).Attempts, 1)
}

func Test_a_claim_that_may_be_older_than_its_late_answer_is_kept_at_once(t *testing.T) {
	const lease = 3 * time.Second
	p := aProxy(t, func(got call, nth int) fault {
		if got.operation() == "claim" && nth == 1 {
			<-time.After(lease / 2)
			return loseAnswer
		}
		return pass
	})
	queue := aQueue()
	aJob(t, aClient(t, p.address), queue)
	claimed := make(chan time.Time, 1)
	causes := make(chan error, 1)
	aWorker(t, p.address, queue, func(ctx context.Context, job *agwp.ClaimedJob) (agwp.Outcome, error) {
		claimed <- time.Now()
		return untilStopped(causes)(ctx, job)
	}, agwp.WithLeaseSeconds(int(lease/time.Second)), agwp.WithWaitSeconds(0))
	began := receive(t, "the handler began", claimed)
	await(t, "a heartbeat", func() bool { return len(p.of("heartbeat")) > 0 })
	if waited := time.Since(began); waited > lease/6 {
		t.Errorf("the first heartbeat came after %v", waited)
	}
}

func Test_a_job_that_was_given_to_a_broken_off_claim_is_handed_back(t *testing.T) {
	given := make(chan struct{})
	var claims atomic.Int64
	p := aProxy(t, func(got call, _ int) fault {
		// The first claim is given the job, and its answer is held up until the worker closes.
		if got.operation() == "claim" && claims.Add(1) == 1 {
			_, _, _, _ = forward(context.Background(), server(t), got)
			close(given)
			<-time.After(200 * time.Millisecond)
			return loseRequest
		}
		return pass
	})
	client, queue := aClient(t, server(t)), aQueue()
	job := aJob(t, client, queue)
	w := aWorker(t, p.address, queue, passes)
	receive(t, "the job was given", given)
	w.Close()

	equal(t, "released", w.heard("released", job.JobId), true)
	equal(t, "state", theJob(t, client, job.JobId).State, agwp.JobStateQueued)
	if err := receive(t, "the end", w.ended); err != nil {
		t.Error(err)
	}
}

func Test_a_worker_that_closes_lets_handlers_end_within_the_grace(t *testing.T) {
	client, queue := aClient(t, server(t)), aQueue()
	job := aJob(t, client, queue)
	closing := make(chan struct{})
	w := aWorker(t, server(t), queue, func(ctx context.Context, _ *agwp.ClaimedJob) (agwp.Outcome, error) {
		<-closing
		<-time.After(100 * time.Millisecond)
		return agwp.Passed(""), ctx.Err()
	}, agwp.WithGrace(deadline))
	w.await(t, "claimed", job.JobId)
	close(closing)
	w.Close()
	equal(t, "reported", w.heard("reported passed", job.JobId), true)
}

func Test_a_worker_that_closes_hands_back_what_does_not_end(t *testing.T) {
	p := aProxy(t, at("release", loseRequest))
	client, queue := aClient(t, server(t)), aQueue()
	job := aJob(t, client, queue)
	causes := make(chan error, 1)
	w := aWorker(t, p.address, queue, untilStopped(causes))
	w.await(t, "claimed", job.JobId)
	w.Close()

	if cause := receive(t, "a stopped handler", causes); !errors.Is(cause, agwp.ErrWorkerClosed) {
		t.Errorf("got %v", cause)
	}
	equal(t, "released", w.heard("released", job.JobId), true)
	equal(t, "token", p.of("release")[0].field("fencing_token"), any(1.0))
	now := theJob(t, client, job.JobId)
	equal(t, "state", now.State, agwp.JobStateQueued)
	if now.Outcome != nil || now.LastError != nil {
		t.Error("something was reported")
	}
}

func Test_the_end_of_the_context_closes_the_worker(t *testing.T) {
	queue := aQueue()
	worker := must(agwp.NewWorker(aClient(t, server(t)), "w1", []string{queue}, passes))(t)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- worker.Run(ctx) }()
	cancel()
	if err := receive(t, "the end", ended); err != nil {
		t.Error(err)
	}
	if worker.Run(context.Background()) == nil {
		t.Error("a worker ran twice")
	}
}

func Test_a_worker_that_was_closed_before_it_ran_claims_nothing(t *testing.T) {
	s := aStub(t, answers(200, `{"jobs":[]}`))
	worker := must(agwp.NewWorker(aClient(t, s.address), "w1", []string{"q"}, passes))(t)
	worker.Close()
	if err := worker.Run(context.Background()); err != nil {
		t.Error(err)
	}
	equal(t, "calls", len(s.all()), 0)
}

func Test_a_worker_that_requires_fencing_ends_on_a_server_that_does_not_check_it(t *testing.T) {
	p := aProxy(t, func(call, int) fault { return unfenced })
	client, queue := aClient(t, p.address), aQueue()
	job := aJob(t, client, queue)
	w := aWorker(t, p.address, queue, passes, agwp.WithRequireFencing())

	var unfenced *agwp.UnfencedServerError
	if err := receive(t, "the end", w.ended); !errors.As(err, &unfenced) {
		t.Errorf("got %v", err)
	}
	equal(t, "claimed", w.heard("claimed", job.JobId), false)
	equal(t, "released", w.heard("released", job.JobId), true)
	equal(t, "state", theJob(t, client, job.JobId).State, agwp.JobStateQueued)
}

func Test_a_worker_that_requires_fencing_works_on_a_server_that_checks_it(t *testing.T) {
	client, queue := aClient(t, server(t)), aQueue()
	must(client.UpdateQueue(context.Background(), aJob(t, client, queue).Queue, agwp.UpdateQueueRequest{RequireFencing: agwp.Ptr(true)}))(t)
	job := aJob(t, client, queue)
	w := aWorker(t, server(t), queue, passes, agwp.WithRequireFencing())
	w.await(t, "reported passed", job.JobId)
}

func Test_a_worker_holds_no_more_jobs_than_it_runs_at_once(t *testing.T) {
	client, queue := aClient(t, server(t)), aQueue()
	for range 12 {
		aJob(t, client, queue)
	}
	var at, most, done atomic.Int64
	aWorker(t, server(t), queue, func(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) {
		if now := at.Add(1); now > most.Load() {
			most.Store(now)
		}
		held := must(client.GetQueue(context.Background(), queue))(t).Depth.Claimed
		at.Add(-1)
		if held > 3 {
			t.Errorf("%d jobs are held", held)
		}
		done.Add(1)
		return agwp.Passed(""), nil
	}, agwp.WithConcurrency(3))
	await(t, "all done", func() bool { return done.Load() == 12 })
	if most.Load() > 3 {
		t.Errorf("%d ran at once", most.Load())
	}
}

func Test_a_worker_waits_for_a_server_that_is_gone_and_ends_with_one_that_refuses(t *testing.T) {
	gone := aStub(t, answers(500, `{"code":"internal","detail":"d"}`))
	w := aWorker(t, gone.address, "q", passes)
	await(t, "unavailable", func() bool { return w.heard("unavailable", "") })
	w.Close()
	if err := receive(t, "the end", w.ended); err != nil {
		t.Error(err)
	}

	refusing := aStub(t, answers(403, `{"code":"permission_denied","detail":"not you"}`))
	var refused *agwp.Error
	if err := receive(t, "the end", aWorker(t, refusing.address, "q", passes).ended); !errors.As(err, &refused) || refused.Status != http.StatusForbidden {
		t.Errorf("got %v", err)
	}
}

func Test_an_option_out_of_its_range_makes_no_worker(t *testing.T) {
	client := aClient(t, "http://127.0.0.1:1")
	for name, make := range map[string]func() (*agwp.Worker, error){
		"label":         func() (*agwp.Worker, error) { return agwp.NewWorker(client, "a|b", []string{"q"}, passes) },
		"no queue":      func() (*agwp.Worker, error) { return agwp.NewWorker(client, "w", nil, passes) },
		"queue":         func() (*agwp.Worker, error) { return agwp.NewWorker(client, "w", []string{"a/b"}, passes) },
		"no handler":    func() (*agwp.Worker, error) { return agwp.NewWorker(client, "w", []string{"q"}, nil) },
		"lease_seconds": with(client, agwp.WithLeaseSeconds(0)),
		"lease too big": with(client, agwp.WithLeaseSeconds(86401)),
		"wait_seconds":  with(client, agwp.WithWaitSeconds(61)),
		"concurrency":   with(client, agwp.WithConcurrency(0)),
		"grace":         with(client, agwp.WithGrace(-1)),
	} {
		if _, err := make(); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func with(client *agwp.Client, option agwp.WorkerOption) func() (*agwp.Worker, error) {
	return func() (*agwp.Worker, error) { return agwp.NewWorker(client, "w", []string{"q"}, passes, option) }
}
