package agwp_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	agwp "agwp.dev/go"
)

const minimalJob = `{"job_id":"j1","queue":"q","state":"queued","priority":0,"attempts":1,"max_attempts":5,
	"run_at":"2026-12-01T10:00:00.000Z","created_at":"2026-12-01T10:00:00.000Z","updated_at":"2026-12-01T10:00:00.000Z"}`

func Test_what_a_later_server_adds_is_ignored_or_kept(t *testing.T) {
	later := aStub(t, answers(200, `{"job_id":"j1","queue":"q","state":"paused","outcome":"undecided","color":{"of":["a","later","release"]},
		"attempts":4294967295,"summary":null,"last_error":{"reason":"r","at":"2026-12-01T10:00:00.123Z","line":7},
		"payload":{"id":9007199254740993,"size":18446744073709551615,"rate":0.10}}`))

	job := must(aClient(t, later.address).GetJob(context.Background(), "j1"))(t)

	equal(t, "state", job.State, "paused")
	equal(t, "outcome", *job.Outcome, "undecided")
	equal(t, "attempts", job.Attempts, 4294967295)
	equal(t, "reason", job.LastError.Reason, "r")
	if job.Summary != nil {
		t.Errorf("a null summary must be absent, got %q", *job.Summary)
	}
	equal(t, "payload", string(must(json.Marshal(job.Payload))(t)), `{"id":9007199254740993,"rate":0.10,"size":18446744073709551615}`)
	var payload struct{ ID, Size uint64 }
	if err := job.Payload.Decode(&payload); err != nil {
		t.Fatal(err)
	}
	equal(t, "payload.id", payload.ID, 9007199254740993)
	equal(t, "payload.size", payload.Size, 18446744073709551615)
}

func Test_the_largest_counters_survive(t *testing.T) {
	full := aStub(t, answers(200, `{"queue":"q","paused":false,"oldest_claimable_age_seconds":18446744073709551615,
		"depth":{"queued":18446744073709551615,"claimed":9007199254740993,"succeeded":0,"dead":0,"cancelled":0},
		"unfenced_calls":[{"principal":"local","worker":"w","calls":18446744073709551614,"last_at":"2026-12-01T10:00:00.000Z"}]}`))

	queue := must(aClient(t, full.address).GetQueue(context.Background(), "q"))(t)

	equal(t, "depth.queued", queue.Depth.Queued, 18446744073709551615)
	equal(t, "depth.claimed", queue.Depth.Claimed, 9007199254740993)
	equal(t, "age", *queue.OldestClaimableAgeSeconds, 18446744073709551615)
	equal(t, "calls", queue.UnfencedCalls[0].Calls, 18446744073709551614)
}

func Test_what_is_not_given_is_not_sent(t *testing.T) {
	got := aStub(t, answers(200, minimalJob))
	client := aClient(t, got.address)
	ctx := context.Background()

	must(client.EnqueueJob(ctx, agwp.EnqueueJobRequest{Queue: "q"}))(t)
	must(client.EnqueueJob(ctx, agwp.EnqueueJobRequest{Queue: "q", Payload: agwp.Object{}, Priority: agwp.Ptr(int32(0))}))(t)
	must(client.CompleteJob(ctx, "j1", agwp.CompleteJobRequest{Worker: "w", Outcome: agwp.JobOutcomePassed, Result: agwp.Object{}}))(t)
	must(client.HeartbeatJob(ctx, "j1", agwp.HeartbeatJobRequest{Worker: "w", FencingToken: agwp.Ptr(uint64(4294967295))}))(t)
	must(client.ListJobs(ctx, agwp.ListJobsQuery{}))(t)
	must(client.ListJobs(ctx, agwp.ListJobsQuery{Queue: agwp.Ptr("a:b"), PageSize: agwp.Ptr(int32(0))}))(t)
	must(client.ClaimJob(ctx, agwp.ClaimJobRequest{Worker: "w", RequestId: agwp.Ptr("r")}))(t)
	must(client.GetQueue(ctx, "a/b?c"))(t)

	calls := got.all()
	equal(t, "minimal", calls[0].body, `{"queue":"q"}`)
	equal(t, "zeroes", calls[1].body, `{"queue":"q","priority":0,"payload":{}}`)
	equal(t, "empty result", calls[2].body, `{"worker":"w","outcome":"passed","result":{}}`)
	equal(t, "token", calls[3].body, `{"worker":"w","fencing_token":4294967295}`)
	equal(t, "no query", calls[4].query, "")
	equal(t, "query", calls[5].query, "page_size=0&queue=a%3Ab")
	equal(t, "no queues", calls[6].body, `{"queues":[],"worker":"w","request_id":"r"}`)
	equal(t, "path", calls[7].path, "/v1/queues/a%2Fb%3Fc")
	equal(t, "accept", calls[0].header.Get("Accept"), "application/json")
	if !strings.HasPrefix(calls[0].header.Get("User-Agent"), "agwp-go/") {
		t.Errorf("User-Agent is %q", calls[0].header.Get("User-Agent"))
	}
}

func Test_calls_are_repeated_only_where_that_can_do_no_harm(t *testing.T) {
	ctx := context.Background()
	keyed := agwp.EnqueueJobRequest{Queue: "q", UniqueKey: agwp.Ptr("k")}
	keyless := agwp.EnqueueJobRequest{Queue: "q"}
	operations := []struct {
		name   string
		safely bool
		call   func(*agwp.Client) error
	}{
		{"enqueueJob with unique_key", true, func(c *agwp.Client) error { return errorOf(c.EnqueueJob(ctx, keyed)) }},
		{"enqueueJob", false, func(c *agwp.Client) error { return errorOf(c.EnqueueJob(ctx, keyless)) }},
		{"enqueueJobs with unique_key", true, func(c *agwp.Client) error {
			return errorOf(c.EnqueueJobs(ctx, []agwp.EnqueueJobRequest{keyed, keyed}))
		}},
		{"enqueueJobs with one without", false, func(c *agwp.Client) error {
			return errorOf(c.EnqueueJobs(ctx, []agwp.EnqueueJobRequest{keyed, keyless}))
		}},
		{"claimJob", true, func(c *agwp.Client) error { return errorOf(c.ClaimJob(ctx, agwp.ClaimJobRequest{Worker: "w"})) }},
		{"heartbeatJob", true, func(c *agwp.Client) error {
			return errorOf(c.HeartbeatJob(ctx, "j1", agwp.HeartbeatJobRequest{Worker: "w"}))
		}},
		{"completeJob with fencing_token", true, func(c *agwp.Client) error {
			return errorOf(c.CompleteJob(ctx, "j1", agwp.CompleteJobRequest{Worker: "w", FencingToken: agwp.Ptr(uint64(1))}))
		}},
		{"completeJob with fencing_token 0", false, func(c *agwp.Client) error {
			return errorOf(c.CompleteJob(ctx, "j1", agwp.CompleteJobRequest{Worker: "w", FencingToken: agwp.Ptr(uint64(0))}))
		}},
		{"completeJob", false, func(c *agwp.Client) error {
			return errorOf(c.CompleteJob(ctx, "j1", agwp.CompleteJobRequest{Worker: "w"}))
		}},
		{"heartbeatJobs", true, func(c *agwp.Client) error { return errorOf(c.HeartbeatJobs(ctx, heartbeats("j1", "j2"))) }},
		{"completeJobs with fencing_tokens", true, func(c *agwp.Client) error {
			return errorOf(c.CompleteJobs(ctx, []agwp.JobCompletion{aCompletion("j1", 1), aCompletion("j2", 2)}))
		}},
		{"completeJobs with one of 0", false, func(c *agwp.Client) error {
			return errorOf(c.CompleteJobs(ctx, []agwp.JobCompletion{aCompletion("j1", 0), aCompletion("j2", 2)}))
		}},
		{"completeJobs with one without", false, func(c *agwp.Client) error {
			return errorOf(c.CompleteJobs(ctx, []agwp.JobCompletion{aCompletion("j1", 1), {JobId: "j2"}}))
		}},
		{"failJobs", false, func(c *agwp.Client) error { return errorOf(c.FailJobs(ctx, []agwp.JobFailure{aFailure("j1")})) }},
		{"failJob", false, func(c *agwp.Client) error {
			return errorOf(c.FailJob(ctx, "j1", agwp.FailJobRequest{Worker: "w", FencingToken: agwp.Ptr(uint64(1))}))
		}},
		{"releaseJob", false, func(c *agwp.Client) error {
			return errorOf(c.ReleaseJob(ctx, "j1", agwp.ReleaseJobRequest{Worker: "w", FencingToken: agwp.Ptr(uint64(1))}))
		}},
		{"cancelJob", true, func(c *agwp.Client) error { return errorOf(c.CancelJob(ctx, "j1")) }},
		{"retryJob", false, func(c *agwp.Client) error { return errorOf(c.RetryJob(ctx, "j1")) }},
		{"getJob", true, func(c *agwp.Client) error { return errorOf(c.GetJob(ctx, "j1")) }},
		{"listJobs", true, func(c *agwp.Client) error { return errorOf(c.ListJobs(ctx, agwp.ListJobsQuery{})) }},
		{"getAttestation", true, func(c *agwp.Client) error { return errorOf(c.GetAttestation(ctx, "j1")) }},
		{"getQueue", true, func(c *agwp.Client) error { return errorOf(c.GetQueue(ctx, "q")) }},
		{"listQueues", true, func(c *agwp.Client) error { return errorOf(c.ListQueues(ctx, agwp.ListQueuesQuery{})) }},
		{"listAuditEvents", true, func(c *agwp.Client) error {
			return errorOf(c.ListAuditEvents(ctx, agwp.ListAuditEventsQuery{}))
		}},
		{"getAuditHead", true, func(c *agwp.Client) error { return errorOf(c.GetAuditHead(ctx)) }},
		{"updateQueue", true, func(c *agwp.Client) error { return errorOf(c.UpdateQueue(ctx, "q", agwp.UpdateQueueRequest{})) }},
	}
	problem := `{"code":"unavailable","detail":"d"}`
	faults := []struct {
		name   string
		answer func(http.ResponseWriter, call)
		tries  func(safely bool) int
	}{
		{"429", answers(429, problem), func(bool) int { return 2 }},
		{"503", answers(503, problem), func(safely bool) int { return map[bool]int{true: 2, false: 1}[safely] }},
		{"a lost answer", breakOff, func(safely bool) int { return map[bool]int{true: 2, false: 1}[safely] }},
		{"500", answers(500, problem), func(bool) int { return 1 }},
		{"409", answers(409, problem), func(bool) int { return 1 }},
	}
	for _, operation := range operations {
		t.Run(operation.name, func(t *testing.T) {
			t.Parallel()
			for _, fault := range faults {
				s := aStub(t, fault.answer)
				if operation.call(aClient(t, s.address, agwp.WithTriesMax(2))) == nil {
					t.Errorf("%s was no error", fault.name)
				}
				equal(t, "tries at "+fault.name, len(s.all()), fault.tries(operation.safely))
			}
		})
	}
}

func errorOf[T any](_ T, err error) error {
	return err
}

func Test_a_refused_connection_is_tried_again_by_every_call(t *testing.T) {
	listener := must(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	listener.Close()
	failed := make(chan error)
	go func() {
		_, err := aClient(t, "http://"+address, agwp.WithTriesMax(100)).FailJob(context.Background(), "j1", agwp.FailJobRequest{Worker: "w"})
		failed <- err
	}()
	<-time.After(50 * time.Millisecond)
	listener = must(net.Listen("tcp", address))(t)
	defer listener.Close()
	go http.Serve(listener, http.HandlerFunc(func(writer http.ResponseWriter, _ *http.Request) { answers(200, minimalJob)(writer, call{}) }))

	if err := receive(t, "an answer", failed); err != nil {
		t.Fatal(err)
	}
}

func Test_a_claim_is_repeated_under_the_same_request_id(t *testing.T) {
	s := aStub(t, breakOff)
	_, _ = aClient(t, s.address, agwp.WithTriesMax(3)).ClaimJob(context.Background(), agwp.ClaimJobRequest{Worker: "w"})

	calls := s.all()
	equal(t, "tries", len(calls), 3)
	for _, each := range calls {
		if each.field("request_id") == nil || each.field("request_id") != calls[0].field("request_id") {
			t.Errorf("request_id is %v, then %v", calls[0].field("request_id"), each.field("request_id"))
		}
	}
}

func Test_retry_after_is_waited_for(t *testing.T) {
	s := aStub(t, func(writer http.ResponseWriter, got call) {
		writer.Header().Set("Retry-After", "1")
		answers(503, `{}`)(writer, got)
	})
	began := time.Now()
	_, _ = aClient(t, s.address, agwp.WithTriesMax(2)).GetJob(context.Background(), "j1")
	if waited := time.Since(began); waited < time.Second {
		t.Errorf("waited only %v", waited)
	}
}

func Test_a_refusal_says_all_that_the_server_said(t *testing.T) {
	s := aStub(t, func(writer http.ResponseWriter, got call) {
		writer.Header().Set("X-Request-Id", "r-1")
		answers(418, `{"type":"urn:agwp:problem:teapot","title":"T","status":418,"detail":"it is a teapot","code":"teapot","reason":"short",
			"errors":[{"field":"jobs[3].queue","message":"must be hot"}],"more":1}`)(writer, got)
	})
	_, err := aClient(t, s.address).GetJob(context.Background(), "j1")
	var refused *agwp.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v", err)
	}
	equal(t, "code", refused.Code, "teapot")
	equal(t, "reason", refused.Reason, "short")
	equal(t, "status", refused.Status, 418)
	equal(t, "message", err.Error(), "it is a teapot")
	equal(t, "request id", refused.RequestID, "r-1")
	equal(t, "field", refused.FieldErrors[0], agwp.FieldError{Field: "jobs[3].queue", Message: "must be hot"})
}

func Test_only_a_refusal_of_the_holder_is_a_lost_claim(t *testing.T) {
	ctx := context.Background()
	for _, each := range []struct {
		status int
		body   string
		lost   bool
	}{
		{404, `{"code":"not_found","detail":"d","reason":"not_holder"}`, true},
		{409, `{"code":"failed_precondition","detail":"d","reason":"stale_fencing_token"}`, true},
		{409, `{"code":"failed_precondition","detail":"d"}`, true},
		{409, `{"code":"failed_precondition","detail":"d","reason":"fencing_token_required"}`, false},
		{409, `{"code":"failed_precondition","detail":"d","reason":"attestation_unsigned"}`, false},
		{400, `{"code":"invalid_argument","detail":"d"}`, false},
	} {
		client := aClient(t, aStub(t, answers(each.status, each.body)).address)
		for _, err := range []error{
			errorOf(client.HeartbeatJob(ctx, "j1", agwp.HeartbeatJobRequest{Worker: "w"})),
			errorOf(client.CompleteJob(ctx, "j1", agwp.CompleteJobRequest{Worker: "w"})),
			errorOf(client.FailJob(ctx, "j1", agwp.FailJobRequest{Worker: "w"})),
			errorOf(client.ReleaseJob(ctx, "j1", agwp.ReleaseJobRequest{Worker: "w"})),
		} {
			var lost *agwp.LostClaimError
			var refused *agwp.Error
			equal(t, each.body, errors.As(err, &lost), each.lost)
			if !errors.As(err, &refused) || refused.Status != each.status {
				t.Errorf("%s: is no Error of the status: %v", each.body, err)
			}
		}
		var lost *agwp.LostClaimError
		if errors.As(errorOf(client.RetryJob(ctx, "j1")), &lost) {
			t.Error("retryJob has no holder")
		}
	}
}

func Test_an_answer_that_is_not_of_the_contract_is_no_answer(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter, call){
		"a page": answers(200, "<html>"),
		"a redirect": func(writer http.ResponseWriter, _ call) {
			writer.Header().Set("Location", "/elsewhere")
			writer.WriteHeader(302)
		},
		"nothing": breakOff,
	} {
		s := aStub(t, answer)
		_, err := aClient(t, s.address, agwp.WithTriesMax(1)).GetJob(context.Background(), "j1")
		var none *agwp.NoAnswerError
		var failed *agwp.Error
		if !errors.As(err, &none) || !errors.As(err, &failed) {
			t.Fatalf("%s: got %v", name, err)
		}
		equal(t, name+": code", failed.Code, agwp.CodeUnavailable)
		equal(t, name+": status", failed.Status, 0)
		equal(t, name+": calls", len(s.all()), 1)
	}
}

func Test_a_page_of_a_proxy_is_a_refusal_of_its_status(t *testing.T) {
	_, err := aClient(t, aStub(t, answers(502, "<html>bad gateway")).address).GetJob(context.Background(), "j1")
	var refused *agwp.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v", err)
	}
	equal(t, "code", refused.Code, agwp.CodeInternal)
	equal(t, "status", refused.Status, 502)
}

func Test_a_call_ends_with_its_context_or_its_time(t *testing.T) {
	over := make(chan struct{})
	silent := aStub(t, func(http.ResponseWriter, call) { <-over })
	defer close(over)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()

	_, err := aClient(t, silent.address).GetJob(ctx, "j1")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	_, err = aClient(t, silent.address, agwp.WithTriesMax(1), agwp.WithRequestTimeout(50*time.Millisecond)).GetJob(context.Background(), "j1")
	var none *agwp.NoAnswerError
	if !errors.As(err, &none) {
		t.Errorf("got %v", err)
	}
	equal(t, "calls", len(silent.all()), 2)
}

func Test_what_cannot_be_sent_is_an_error_before_it_is(t *testing.T) {
	s := aStub(t, answers(200, minimalJob))
	client := aClient(t, s.address)
	ctx := context.Background()
	for name, err := range map[string]error{
		"an empty job id": errorOf(client.GetJob(ctx, "")),
		"a parent":        errorOf(client.GetQueue(ctx, "..")),
		"a function":      errorOf(client.EnqueueJob(ctx, agwp.EnqueueJobRequest{Queue: "q", Payload: agwp.Object{"f": func() {}}})),
	} {
		if err == nil {
			t.Errorf("%s was sent", name)
		}
	}
	for _, address := range []string{"", "127.0.0.1:8080", "ftp://host", "http://", "http://host/?a=b"} {
		if _, err := agwp.NewClient(address); err == nil {
			t.Errorf("%q is no server", address)
		}
	}
	for name, option := range map[string]agwp.ClientOption{
		"tries_max 0":     agwp.WithTriesMax(0),
		"tries_max 101":   agwp.WithTriesMax(101),
		"request timeout": agwp.WithRequestTimeout(0),
		"connect timeout": agwp.WithConnectTimeout(-1),
	} {
		if _, err := agwp.NewClient(s.address, option); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	equal(t, "calls", len(s.all()), 0)
}

func Test_every_operation_works_on_a_real_server(t *testing.T) {
	client := aClient(t, server(t)+"/")
	ctx := context.Background()
	queue := aQueue()
	runAt := time.Now().Add(-time.Hour)

	jobs := must(client.EnqueueJobs(ctx, []agwp.EnqueueJobRequest{
		{Queue: queue, Payload: agwp.Object{"id": uint64(18446744073709551615)}, UniqueKey: agwp.Ptr("k"), RunAt: &runAt, Priority: agwp.Ptr(int32(-5))},
		{Queue: queue, Priority: agwp.Ptr(int32(-6))},
		{Queue: queue, Priority: agwp.Ptr(int32(-7)), MaxAttempts: agwp.Ptr(uint64(1))},
	}))(t)
	equal(t, "jobs", len(jobs), 3)
	again := must(client.EnqueueJob(ctx, agwp.EnqueueJobRequest{Queue: queue, UniqueKey: agwp.Ptr("k")}))(t)
	equal(t, "job of the key", again.JobId, jobs[0].JobId)

	claimed := must(client.ClaimJob(ctx, agwp.ClaimJobRequest{Queues: []string{queue}, Worker: "w", MaxJobs: agwp.Ptr(int32(3))}))(t)
	equal(t, "claimed", len(claimed.Jobs), 3)
	equal(t, "fencing_enforced", *claimed.FencingEnforced, true)
	first := claimed.Jobs[0]
	equal(t, "payload", first.Payload["id"].(json.Number), "18446744073709551615")
	token := agwp.Ptr(first.Attempts)
	kept := must(client.HeartbeatJob(ctx, first.JobId, agwp.HeartbeatJobRequest{Worker: "w", FencingToken: token, Progress: agwp.Ptr(int32(7))}))(t)
	equal(t, "progress", *kept.Progress, 7)
	body := []byte{0, 1, 2, 255}
	done := must(client.CompleteJob(ctx, first.JobId, agwp.CompleteJobRequest{Worker: "w", FencingToken: token, Outcome: agwp.JobOutcomeFailed,
		Result: agwp.Object{}, Attestation: &agwp.Attestation{MediaType: "a/b", Body: body}}))(t)
	equal(t, "state", done.State, agwp.JobStateSucceeded)
	equal(t, "attestation", string(must(client.GetAttestation(ctx, first.JobId))(t)), string(body))

	released := must(client.ReleaseJob(ctx, claimed.Jobs[1].JobId, agwp.ReleaseJobRequest{Worker: "w", FencingToken: agwp.Ptr(uint64(1))}))(t)
	equal(t, "state", released.State, agwp.JobStateQueued)
	equal(t, "state", must(client.CancelJob(ctx, released.JobId))(t).State, agwp.JobStateCancelled)
	dead := must(client.FailJob(ctx, claimed.Jobs[2].JobId, agwp.FailJobRequest{Worker: "w", Reason: agwp.Ptr("r")}))(t)
	equal(t, "state", dead.State, agwp.JobStateDead)
	equal(t, "state", must(client.RetryJob(ctx, dead.JobId))(t).State, agwp.JobStateQueued)

	page := must(client.ListJobs(ctx, agwp.ListJobsQuery{Queue: &queue, PageSize: agwp.Ptr(int32(2))}))(t)
	equal(t, "page", len(page.Jobs), 2)
	rest := must(client.ListJobs(ctx, agwp.ListJobsQuery{Queue: &queue, PageToken: page.NextPageToken}))(t)
	equal(t, "rest", len(rest.Jobs), 1)
	updated := must(client.UpdateQueue(ctx, queue, agwp.UpdateQueueRequest{Paused: agwp.Ptr(true)}))(t)
	equal(t, "paused", updated.Paused, true)
	read := must(client.GetQueue(ctx, queue))(t)
	equal(t, "succeeded", read.Depth.Succeeded, 1)
	equal(t, "calls without a token", read.UnfencedCalls[0].Calls, 1)
	if len(must(client.ListQueues(ctx, agwp.ListQueuesQuery{}))(t).Queues) == 0 {
		t.Error("there is a queue at least")
	}
	must(client.GetAuditHead(ctx))(t)
	events := must(client.ListAuditEvents(ctx, agwp.ListAuditEventsQuery{Limit: agwp.Ptr(int32(1))}))(t).Events
	if len(events) > 1 {
		t.Errorf("1 event was asked for, got %d", len(events))
	}
}
