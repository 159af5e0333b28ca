package agwp

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	firstPause = 100 * time.Millisecond
	pauseMax   = 10 * time.Second
	// Enough for the heartbeats of a worker with many jobs; Go keeps 2 by default and would open a connection for each of the rest.
	idleConnectionsMax = 100
)

// repeat says what may be done when a call was sent and no answer came.
type repeat int

const (
	ifNotSent repeat = iota
	safely
)

// operation is what a call is on the wire; the generated functions make it.
type operation struct {
	method string
	path   string
	query  url.Values
	body   any
}

// pathOf puts the escaped arguments in the place of the names in the path, in their order. An empty one would name another path, so it
// leaves none.
func pathOf(path string, arguments ...string) string {
	for _, argument := range arguments {
		before, rest, _ := strings.Cut(path, "{")
		_, after, _ := strings.Cut(rest, "}")
		if argument == "" || argument == "." || argument == ".." {
			return ""
		}
		path = before + url.PathEscape(argument) + after
	}
	return path
}

func addValue[T string | int32 | uint64](values url.Values, name string, value *T) {
	if value != nil {
		values.Set(name, fmt.Sprint(*value))
	}
}

// transport carries calls: typed errors, and repeats where they are safe.
type transport struct {
	server         string
	requestTimeout time.Duration
	triesMax       int
	token          TokenSource
	http           *http.Client
}

func newTransport(server string, options clientOptions, trust *tls.Config) *transport {
	carrier := http.DefaultTransport.(*http.Transport).Clone()
	carrier.DialContext = (&net.Dialer{Timeout: options.connectTimeout, KeepAlive: 30 * time.Second}).DialContext
	if trust != nil {
		carrier.TLSClientConfig = trust
	}
	carrier.MaxIdleConns = 0
	carrier.MaxIdleConnsPerHost = idleConnectionsMax
	return &transport{
		server:         strings.TrimSuffix(server, "/"),
		requestTimeout: options.requestTimeout,
		triesMax:       options.triesMax,
		token:          options.token,
		http: &http.Client{
			Transport: carrier,
			// A redirect is not of the contract, and following it could turn a POST into a GET.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// answer is what came back, whole.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// call makes a call and reads its answer as a T.
func call[T any](ctx context.Context, t *transport, op operation, how repeat, wait time.Duration) (*T, error) {
	return callTries[T](ctx, t, op, how, t.requestTimeout+wait, t.triesMax)
}

func callTries[T any](
	ctx context.Context, t *transport, op operation, how repeat, timeout time.Duration, triesMax int,
) (*T, error) {
	got, err := t.tries(ctx, op, "application/json", how, timeout, triesMax)
	if err != nil {
		return nil, err
	}
	message := new(T)
	if err := json.Unmarshal(got.body, message); err != nil {
		return nil, noAnswer(fmt.Sprintf("%s answered what is not of its contract: %v", t.server, err), err)
	}
	return message, nil
}

func (t *transport) tries(
	ctx context.Context, op operation, accept string, how repeat, timeout time.Duration, triesMax int,
) (*answer, error) {
	if op.path == "" {
		return nil, errors.New("agwp: the job id or queue name in the path must not be empty, \".\" or \"..\"")
	}
	var body []byte
	if op.body != nil {
		var err error
		if body, err = json.Marshal(op.body); err != nil {
			return nil, fmt.Errorf("agwp: the request cannot be written as JSON: %w", err)
		}
	}
	for tries := 1; ; tries++ {
		got, err := t.once(ctx, op, body, accept, timeout)
		if err == nil && got.status >= 200 && got.status < 300 {
			return got, nil
		}
		problem := t.problem(ctx, got, err)
		if tries == triesMax || !mayRepeat(ctx, how, got, err) || !pause(ctx, tries, got) {
			return nil, problem
		}
	}
}

func (t *transport) once(ctx context.Context, op operation, body []byte, accept string, timeout time.Duration) (*answer, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	address := t.server + op.path
	if len(op.query) > 0 {
		address += "?" + op.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, op.method, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", accept)
	request.Header.Set("User-Agent", "agwp-go/"+Version)
	if op.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if t.token != nil {
		token, err := tokenFrom(ctx, t.token)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := t.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	return &answer{response.StatusCode, response.Header, content}, nil
}

func mayRepeat(ctx context.Context, how repeat, got *answer, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if err != nil {
		var noToken *tokenError
		return !errors.As(err, &noToken) && (how == safely || notSent(err))
	}
	switch got.status {
	case http.StatusTooManyRequests:
		// The server says that it did nothing.
		return true
	case http.StatusServiceUnavailable:
		// The database may have committed before its answer was lost.
		return how == safely
	}
	return false
}

// notSent is true when there was no connection to send the call on.
func notSent(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op == "dial"
}

// pause waits a random time up to a bound that doubles, so that many clients do not come back at once. False when the context ended.
func pause(ctx context.Context, tries int, got *answer) bool {
	wait := rand.N(min(pauseMax, firstPause<<min(tries-1, 16)) + 1)
	if got != nil {
		if seconds, err := strconv.Atoi(got.header.Get("Retry-After")); err == nil && seconds > 0 {
			wait += min(pauseMax, time.Duration(min(seconds, 60))*time.Second)
		}
	}
	return sleep(ctx, wait)
}

func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

func (t *transport) problem(ctx context.Context, got *answer, err error) error {
	if err != nil {
		return noAnswer(fmt.Sprintf("no answer from %s: %s", t.server, why(ctx, err)), err)
	}
	if got.status < 400 {
		return noAnswer(fmt.Sprintf("%s answered what is not of its contract: status %d", t.server, got.status), nil)
	}
	refusal := &Error{Status: got.status, RequestID: got.header.Get("X-Request-Id")}
	// Each part by itself: a proxy on the way may answer with a page, or with a problem, of its own.
	var problem struct {
		Code, Detail, Reason json.RawMessage
		Errors               json.RawMessage
	}
	_ = json.Unmarshal(got.body, &problem)
	_ = json.Unmarshal(problem.Code, &refusal.Code)
	_ = json.Unmarshal(problem.Detail, &refusal.Detail)
	_ = json.Unmarshal(problem.Reason, &refusal.Reason)
	_ = json.Unmarshal(problem.Errors, &refusal.FieldErrors)
	if refusal.Code == "" {
		refusal.Code = CodeInternal
	}
	if refusal.Detail == "" {
		refusal.Detail = fmt.Sprintf("%s answered %d", t.server, got.status)
	}
	if got.status == http.StatusUnauthorized || got.status == http.StatusForbidden {
		return &AccessRefusedError{refusal}
	}
	return refusal
}

func why(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "the caller's context ended: " + ctx.Err().Error()
	}
	var timeout net.Error
	timedOut := errors.As(err, &timeout) && timeout.Timeout()
	switch {
	case notSent(err) && timedOut:
		return "no connection within the time allowed"
	case timedOut:
		return "it did not come within the time allowed"
	}
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err.Error()
	}
	return err.Error()
}
