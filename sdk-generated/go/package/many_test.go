package agwp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	agwp "agwp.dev/go"
)

func heartbeats(jobIDs ...string) []agwp.JobHeartbeat {
	var all []agwp.JobHeartbeat
	for _, jobID := range jobIDs {
		all = append(all, agwp.JobHeartbeat{JobId: jobID, Heartbeat: agwp.HeartbeatJobRequest{Worker: "w", FencingToken: agwp.Ptr(uint64(1))}})
	}
	return all
}

func aCompletion(jobID string, token uint64) agwp.JobCompletion {
	return agwp.JobCompletion{JobId: jobID, Completion: agwp.CompleteJobRequest{
		Worker: "w", Outcome: agwp.JobOutcomePassed, FencingToken: &token}}
}

func aFailure(jobID string) agwp.JobFailure {
	return agwp.JobFailure{JobId: jobID, Failure: agwp.FailJobRequest{Worker: "w", FencingToken: agwp.Ptr(uint64(1))}}
}

func Test_each_call_of_many_is_sent_as_it_would_be_alone(t *testing.T) {
	got := aStub(t, answers(200, `{"results":[]}`))
	client := aClient(t, got.address)
	ctx := context.Background()
	empty := aCompletion("j2", 2)
	empty.Completion.Result = agwp.Object{}

	must(client.HeartbeatJobs(ctx, heartbeats("j1")))(t)
	must(client.CompleteJobs(ctx, []agwp.JobCompletion{aCompletion("j1", 1), empty}))(t)
	must(client.FailJobs(ctx, []agwp.JobFailure{aFailure("j1")}))(t)
	must(client.FailJobs(ctx, nil))(t)

	calls := got.all()
	equal(t, "path", calls[0].path, "/v1/jobs/heartbeat")
	equal(t, "heartbeats", calls[0].body, `{"heartbeats":[{"job_id":"j1","heartbeat":{"worker":"w","fencing_token":1}}]}`)
	equal(t, "path", calls[1].path, "/v1/jobs/complete")
	equal(t, "completions", calls[1].body, `{"completions":[{"job_id":"j1","completion":{"worker":"w","outcome":"passed","fencing_token":1}},`+
		`{"job_id":"j2","completion":{"worker":"w","outcome":"passed","fencing_token":2,"result":{}}}]}`)
	equal(t, "path", calls[2].path, "/v1/jobs/fail")
	equal(t, "failures", calls[2].body, `{"failures":[{"job_id":"j1","failure":{"worker":"w","fencing_token":1}}]}`)
	equal(t, "none", calls[3].body, `{"failures":[]}`)
}

func Test_each_result_of_many_is_a_job_or_an_error(t *testing.T) {
	stub := aStub(t, answers(200, `{"more":2,"results":[{"job":`+minimalJob+`,"took_ms":3},
		{"error":{"code":"not_found","detail":"gone","reason":"not_holder","hint":"x"}},
		{"error":{"code":"failed_precondition","detail":"old","reason":"stale_fencing_token"}},
		{"error":{"code":"failed_precondition","detail":"none","reason":"fencing_token_required"}},
		{"error":{"code":"failed_precondition","detail":"none","reason":"attestation_required"}},
		{"error":{"code":"teapot","detail":"d","errors":[{"field":"f","message":"m"}]}},
		{"postponed":{"until":1}}]}`))
	client := aClient(t, stub.address)
	ctx := context.Background()
	for _, results := range [][]agwp.JobResult{
		must(client.HeartbeatJobs(ctx, heartbeats("j1")))(t),
		must(client.CompleteJobs(ctx, []agwp.JobCompletion{aCompletion("j1", 1)}))(t),
		must(client.FailJobs(ctx, []agwp.JobFailure{aFailure("j1")}))(t),
	} {
		equal(t, "job", results[0].Job.JobId, "j1")
		equal(t, "applied", results[0].Err(), nil)
		for i, lost := range []bool{false, true, true, false, false, false, false} {
			var loss *agwp.LostClaimError
			equal(t, "lost", errors.As(results[i].Err(), &loss), lost)
		}
		var refused *agwp.Error
		if !errors.As(results[1].Err(), &refused) || results[1].Job != nil {
			t.Fatalf("got %v", results[1])
		}
		equal(t, "words", strings.Join([]string{refused.Code, refused.Reason, refused.Detail}, " "), "not_found not_holder gone")
		equal(t, "status", refused.Status, 200)
		equal(t, "code", results[5].Error.Code, "teapot")
		equal(t, "field", results[5].Error.FieldErrors[0], agwp.FieldError{Field: "f", Message: "m"})
		equal(t, "of tomorrow", results[6], agwp.JobResult{})
	}
}

func Test_a_server_without_calls_for_many_lost_no_claim(t *testing.T) {
	client := aClient(t, aStub(t, answers(404, `{"code":"not_found","detail":"d"}`)).address)
	ctx := context.Background()
	for _, err := range []error{
		errorOf(client.HeartbeatJobs(ctx, heartbeats("j1"))),
		errorOf(client.CompleteJobs(ctx, []agwp.JobCompletion{aCompletion("j1", 1)})),
		errorOf(client.FailJobs(ctx, []agwp.JobFailure{aFailure("j1")})),
	} {
		var refused *agwp.Error
		var lost *agwp.LostClaimError
		if !errors.As(err, &refused) || errors.As(err, &lost) {
			t.Errorf("got %v", err)
		}
	}
}

func Test_what_a_later_server_adds_to_a_next_job_is_ignored_or_kept(t *testing.T) {
	later := aStub(t, answers(200, `{"job_id":"j1","state":"queued","next_job":{"job_id":"j2","state":"paused","color":1,
		"next_job":{"job_id":"j3","attempts":4294967295,"payload":{"id":9007199254740993,"none":null}}}}`))

	request := agwp.FailJobRequest{Worker: "w", ClaimNext: &agwp.ClaimNext{Queues: []string{"q"}}}
	job := must(aClient(t, later.address).FailJob(context.Background(), "j1", request))(t)

	equal(t, "request", later.all()[0].body, `{"worker":"w","claim_next":{"queues":["q"]}}`)
	equal(t, "state", job.NextJob.State, "paused")
	third := job.NextJob.NextJob
	equal(t, "attempts", third.Attempts, 4294967295)
	equal(t, "payload", string(must(json.Marshal(third.Payload))(t)), `{"id":9007199254740993,"none":null}`)
	equal(t, "the last", third.NextJob, nil)
}

func Test_a_completion_is_repeated_with_the_same_claim_of_the_next_job(t *testing.T) {
	ctx := context.Background()
	unnamed, named := aCompletion("j1", 1), aCompletion("j2", 1)
	unnamed.Completion.ClaimNext = &agwp.ClaimNext{Queues: []string{"q"}}
	named.Completion.ClaimNext = &agwp.ClaimNext{Queues: []string{"q"}, RequestId: agwp.Ptr("r1")}
	for _, complete := range []func(*agwp.Client) error{
		func(c *agwp.Client) error { return errorOf(c.CompleteJob(ctx, "j1", unnamed.Completion)) },
		func(c *agwp.Client) error { return errorOf(c.CompleteJobs(ctx, []agwp.JobCompletion{unnamed, named})) },
	} {
		s := aStub(t, breakOff)
		_ = complete(aClient(t, s.address, agwp.WithTriesMax(2)))
		calls := s.all()
		equal(t, "tries", len(calls), 2)
		equal(t, "repeat", calls[1].body, calls[0].body)
		equal(t, "named claims", strings.Count(calls[0].body, `"request_id"`), strings.Count(calls[0].body, `"claim_next"`))
		equal(t, "its own name", strings.Contains(calls[0].body, `"request_id":"r1"`), strings.Contains(calls[0].body, "j2"))
	}
	equal(t, "the caller's request", unnamed.Completion.ClaimNext.RequestId, nil)
}

func Test_many_jobs_are_kept_given_up_and_ended_in_one_call_each(t *testing.T) {
	client, ctx, queue := aClient(t, server(t)), context.Background(), aQueue()
	first, second := aJob(t, client, queue), aJob(t, client, queue)
	must(client.ClaimJob(ctx, agwp.ClaimJobRequest{Queues: []string{queue}, Worker: "w", MaxJobs: agwp.Ptr(int32(2))}))(t)

	kept := must(client.HeartbeatJobs(ctx, heartbeats(first.JobId, "none", second.JobId)))(t)
	equal(t, "first", kept[0].Job.JobId, first.JobId)
	equal(t, "reason", kept[1].Error.Reason, agwp.ReasonUnknownJob)
	equal(t, "second", kept[2].Job.JobId, second.JobId)

	given := must(client.FailJobs(ctx, []agwp.JobFailure{aFailure(second.JobId)}))(t)
	equal(t, "state", given[0].Job.State, agwp.JobStateQueued)

	third := aJob(t, client, queue)
	completion := aCompletion(first.JobId, 1)
	completion.Completion.ClaimNext = &agwp.ClaimNext{Queues: []string{queue}}
	ended := must(client.CompleteJobs(ctx, []agwp.JobCompletion{completion, aCompletion(second.JobId, 1)}))(t)
	equal(t, "state", ended[0].Job.State, agwp.JobStateSucceeded)
	equal(t, "next", ended[0].Job.NextJob.JobId, third.JobId)
	var lost *agwp.LostClaimError
	equal(t, "lost", errors.As(ended[1].Err(), &lost), true)
}

func Test_a_failure_gives_the_next_job_and_so_does_a_completion_whose_answer_was_lost(t *testing.T) {
	direct, ctx, queue := aClient(t, server(t)), context.Background(), aQueue()
	p := aProxy(t, func(got call, nth int) fault {
		if got.operation() == "complete" && nth == 1 {
			return loseAnswer
		}
		return pass
	})
	client := aClient(t, p.address)
	jobs := must(direct.EnqueueJobs(ctx, []agwp.EnqueueJobRequest{{Queue: queue}, {Queue: queue, Priority: agwp.Ptr(int32(-1))},
		{Queue: queue, Priority: agwp.Ptr(int32(-2))}}))(t)
	first, second, third := jobs[0], jobs[1], jobs[2]
	next := &agwp.ClaimNext{Queues: []string{queue}, LeaseSeconds: agwp.Ptr(int32(30))}
	must(client.ClaimJob(ctx, agwp.ClaimJobRequest{Queues: []string{queue}, Worker: "w"}))(t)

	completion := aCompletion(first.JobId, 1).Completion
	completion.ClaimNext = next
	equal(t, "next", must(client.CompleteJob(ctx, first.JobId, completion))(t).NextJob.JobId, second.JobId)
	equal(t, "tries", len(p.of("complete")), 2)
	equal(t, "the third waits", theJob(t, direct, third.JobId).State, agwp.JobStateQueued)

	failed := must(client.FailJob(ctx, second.JobId, agwp.FailJobRequest{Worker: "w", FencingToken: agwp.Ptr(uint64(1)), ClaimNext: next}))(t)
	equal(t, "next", failed.NextJob.JobId, third.JobId)
	last := must(client.CompleteJob(ctx, third.JobId, completion))(t)
	equal(t, "nothing is left", last.NextJob, nil)
}
