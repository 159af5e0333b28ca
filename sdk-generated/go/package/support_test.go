package agwp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	agwp "agwp.dev/go"
)

const deadline = 20 * time.Second

// server is the address of a real AGWP server.
func server(t *testing.T) string {
	t.Helper()
	address := os.Getenv("AGWP_SERVER")
	if address == "" {
		t.Skip("AGWP_SERVER names no server")
	}
	return address
}

func aClient(t *testing.T, address string, options ...agwp.ClientOption) *agwp.Client {
	t.Helper()
	client, err := agwp.NewClient(address, options...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

var queues atomic.Int64

func aQueue() string {
	return fmt.Sprintf("go-%d-%d", time.Now().UnixNano(), queues.Add(1))
}

func aJob(t *testing.T, client *agwp.Client, queue string) *agwp.Job {
	t.Helper()
	return must(client.EnqueueJob(context.Background(), agwp.EnqueueJobRequest{Queue: queue}))(t)
}

func theJob(t *testing.T, client *agwp.Client, jobID string) *agwp.Job {
	t.Helper()
	return must(client.GetJob(context.Background(), jobID))(t)
}

func must[T any](value T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func equal[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.Now().Add(deadline)
	for !holds() {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
		<-time.After(5 * time.Millisecond)
	}
}

func receive[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(deadline):
		t.Fatal("never: " + what)
		panic("unreachable")
	}
}

// call is one request that a stub or a proxy got.
type call struct {
	method, path, query string
	header              http.Header
	body                string
}

// operation is the last part of the path, enough to tell the calls of a worker apart.
func (c call) operation() string {
	return c.path[strings.LastIndex(c.path, "/")+1:]
}

func (c call) field(name string) any {
	var fields map[string]any
	_ = json.Unmarshal([]byte(c.body), &fields)
	return fields[name]
}

type recorder struct {
	mutex sync.Mutex
	calls []call
}

func (r *recorder) record(request *http.Request) call {
	body, _ := io.ReadAll(request.Body)
	got := call{request.Method, request.URL.EscapedPath(), request.URL.RawQuery, request.Header, string(body)}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.calls = append(r.calls, got)
	return got
}

func (r *recorder) all() []call {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return append([]call{}, r.calls...)
}

func (r *recorder) of(operation string) []call {
	var calls []call
	for _, each := range r.all() {
		if each.operation() == operation {
			calls = append(calls, each)
		}
	}
	return calls
}

// stub answers what the test says.
type stub struct {
	recorder
	address string
}

func aStub(t *testing.T, answer func(http.ResponseWriter, call)) *stub {
	s := &stub{}
	listening := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		answer(writer, s.record(request))
	}))
	t.Cleanup(listening.Close)
	s.address = listening.URL
	return s
}

func answers(status int, body string) func(http.ResponseWriter, call) {
	return func(writer http.ResponseWriter, _ call) {
		writer.Header().Set("Content-Type", "application/json")
		writer.WriteHeader(status)
		_, _ = io.WriteString(writer, body)
	}
}

// breakOff ends the connection without an answer.
func breakOff(http.ResponseWriter, call) {
	panic(http.ErrAbortHandler)
}

// fault is what a proxy does with a call.
type fault int

const (
	pass fault = iota
	loseRequest
	loseAnswer
	unfenced
)

// proxy stands between a client and the real server and breaks what the test says.
type proxy struct {
	recorder
	address string
}

// aProxy asks faultOf for each call; nth counts the calls of an operation from 1.
func aProxy(t *testing.T, faultOf func(got call, nth int) fault) *proxy {
	target := server(t)
	p := &proxy{}
	listening := httptest.NewServer(http.HandlerFunc(func(writer http.ResponseWriter, request *http.Request) {
		got := p.record(request)
		what := faultOf(got, len(p.of(got.operation())))
		if what == loseRequest {
			panic(http.ErrAbortHandler)
		}
		status, header, body, err := forward(request.Context(), target, got)
		if err != nil || what == loseAnswer {
			panic(http.ErrAbortHandler)
		}
		if what == unfenced {
			body = bytes.ReplaceAll(body, []byte(`"fencing_enforced":true`), []byte(`"fencing_enforced":false`))
		}
		writer.Header().Set("Content-Type", header.Get("Content-Type"))
		writer.WriteHeader(status)
		_, _ = writer.Write(body)
	}))
	t.Cleanup(listening.Close)
	p.address = listening.URL
	return p
}

func forward(ctx context.Context, target string, got call) (int, http.Header, []byte, error) {
	address := target + got.path
	if got.query != "" {
		address += "?" + got.query
	}
	request, err := http.NewRequestWithContext(ctx, got.method, address, strings.NewReader(got.body))
	if err != nil {
		return 0, nil, nil, err
	}
	for _, name := range []string{"Content-Type", "Accept"} {
		if value := got.header.Get(name); value != "" {
			request.Header.Set(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, nil, nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return response.StatusCode, response.Header, body, err
}
