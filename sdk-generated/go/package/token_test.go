package agwp_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	agwp "agwp.dev/go"
)

const (
	secret = "jc_7_very-secret"
	aTaken = `{"job_id":"j1","queue":"q","state":"claimed","priority":0,"attempts":1,"max_attempts":5,` +
		`"run_at":"2026-12-01T10:00:00.000Z","created_at":"2026-12-01T10:00:00.000Z","updated_at":"2026-12-01T10:00:00.000Z"}`
)

func authorizations(s *stub) string {
	var all []string
	for _, each := range s.all() {
		all = append(all, each.header.Get("Authorization"))
	}
	return strings.Join(all, ", ")
}

func hides(t *testing.T, what string, words ...any) {
	t.Helper()
	for _, each := range words {
		if text := fmt.Sprintf("%v %+v %#v", each, each, each); strings.Contains(text, secret) {
			t.Errorf("%s shows the token: %s", what, text)
		}
	}
}

func TestTheTokenGoesWithEveryRequest(t *testing.T) {
	stub := aStub(t, answers(200, aTaken))
	client := aClient(t, stub.address, agwp.WithToken(secret))
	ctx := context.Background()

	must(client.EnqueueJob(ctx, agwp.EnqueueJobRequest{Queue: "q"}))(t)
	must(client.GetJob(ctx, "j1"))(t)
	must(client.GetAttestation(ctx, "j1"))(t)

	equal(t, "headers", authorizations(stub), strings.TrimSuffix(strings.Repeat("Bearer "+secret+", ", 3), ", "))
}

func TestWithoutATokenNoneIsSent(t *testing.T) {
	stub := aStub(t, answers(200, aTaken))

	theJob(t, aClient(t, stub.address), "j1")

	if _, sent := stub.all()[0].header["Authorization"]; sent {
		t.Error("a header was sent")
	}
}

func TestAChangedTokenIsSentFromTheNextRequestOn(t *testing.T) {
	stub := aStub(t, answers(200, aTaken))
	var asked atomic.Int64
	client := aClient(t, stub.address, agwp.WithTokenSource(func(context.Context) (string, error) {
		return fmt.Sprintf("token-%d", asked.Add(1)), nil
	}))

	theJob(t, client, "j1")
	theJob(t, client, "j1")

	equal(t, "headers", authorizations(stub), "Bearer token-1, Bearer token-2")
}

func TestARefusedCallerIsToldSoAndTheCallIsNotRepeated(t *testing.T) {
	for status, code := range map[int]string{401: agwp.CodeUnauthenticated, 403: agwp.CodePermissionDenied} {
		stub := aStub(t, answers(status, `{"code":"`+code+`","detail":"no"}`))

		_, err := aClient(t, stub.address, agwp.WithToken(secret)).GetJob(context.Background(), "j1")

		var stranger *agwp.AccessRefusedError
		var refused *agwp.Error
		if !errors.As(err, &stranger) || !errors.As(err, &refused) {
			t.Fatalf("got %T", err)
		}
		equal(t, "code", refused.Code, code)
		equal(t, "status", refused.Status, status)
		equal(t, "text", err.Error(), "no")
		equal(t, "calls", len(stub.all()), 1)
		hides(t, "the error", err, refused)
	}
}

func TestAWorkerThatIsRefusedEndsAndMakesNoFailureOfItsOutcome(t *testing.T) {
	var revoked atomic.Bool
	stub := aStub(t, func(writer http.ResponseWriter, got call) {
		if got.operation() == "claim" && !revoked.Load() {
			answers(200, `{"jobs":[`+aTaken+`]}`)(writer, got)
			return
		}
		answers(401, `{"code":"unauthenticated","detail":"no"}`)(writer, got)
	})
	var unknown atomic.Int64
	worker := must(agwp.NewWorker(aClient(t, stub.address, agwp.WithToken(secret)), "w1", []string{"q"},
		func(context.Context, *agwp.ClaimedJob) (agwp.Outcome, error) {
			revoked.Store(true)
			return agwp.Passed("done"), nil
		}, agwp.WithListener(agwp.Listener{Unknown: func(agwp.Job, agwp.Outcome) { unknown.Add(1) }})))(t)

	err := worker.Run(context.Background())

	var stranger *agwp.AccessRefusedError
	if !errors.As(err, &stranger) {
		t.Fatalf("got %v", err)
	}
	equal(t, "unknown", unknown.Load(), 1)
	equal(t, "failures", len(stub.of("fail")), 0)
	if len(stub.all()) > 5 {
		t.Errorf("it asks again and again: %d calls", len(stub.all()))
	}
}

func TestASourceThatGivesNoTokenEndsTheCallUnsent(t *testing.T) {
	stub := aStub(t, answers(200, aTaken))
	failed := errors.New(secret)
	for _, source := range []agwp.TokenSource{
		func(context.Context) (string, error) { return "", failed },
		func(context.Context) (string, error) { return "", nil },
	} {
		_, err := aClient(t, stub.address, agwp.WithTokenSource(source)).GetJob(context.Background(), "j1")

		var noAnswer *agwp.NoAnswerError
		if !errors.As(err, &noAnswer) || !strings.Contains(err.Error(), "the source of the token") || strings.Contains(err.Error(), secret) {
			t.Errorf("got %v", err)
		}
	}
	equal(t, "calls", len(stub.all()), 0)
}

func TestNothingThatIsPrintedOrReturnedShowsTheToken(t *testing.T) {
	client := aClient(t, "http://127.0.0.1:1", agwp.WithToken(secret), agwp.WithTriesMax(1))
	_, err := client.GetJob(context.Background(), "j1")
	hides(t, "the client or its error", client, err)
	for _, malformed := range []string{secret + "\n", secret + " x", "ü" + secret, ""} {
		_, err := agwp.NewClient("http://127.0.0.1:1", agwp.WithToken(malformed))
		if err == nil || !strings.Contains(err.Error(), "a token must be") {
			t.Errorf("got %v", err)
		}
		hides(t, "the error", err)
	}
}

func TestATokenIsNotSentReadableToAnotherMachine(t *testing.T) {
	for _, server := range []string{"http://agwp.example", "http://10.0.0.1:8080", "http://127.example", "http://[::2]"} {
		if _, err := agwp.NewClient(server, agwp.WithToken(secret)); err == nil || !strings.Contains(err.Error(), "use https") {
			t.Errorf("%s: got %v", server, err)
		}
		aClient(t, server, agwp.WithToken(secret), agwp.WithInsecureToken())
	}
	for _, server := range []string{"https://agwp.example", "http://localhost:8080", "http://127.0.0.2", "http://[::1]:8080"} {
		aClient(t, server, agwp.WithToken(secret))
	}
}
