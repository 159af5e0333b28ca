package agwp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
)

// TokenSource gives the token to send. It is asked before each request, by several goroutines at once.
type TokenSource func(ctx context.Context) (string, error)

// RFC 6750, 2.1.
var tokenPattern = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)

var errNoToken = errors.New("a token must be characters of A-Z a-z 0-9 . _ ~ + / - with = at its end")

// WithToken says who calls, by a bearer token. Defaults to none.
func WithToken(token string) ClientOption {
	return func(options *clientOptions) {
		options.token = func(context.Context) (string, error) { return token, nil }
		if !tokenPattern.MatchString(token) {
			options.malformedToken = true
		}
	}
}

// WithTokenSource says who calls, by a bearer token that is asked for before each request, so that a changed one is used from then on. An
// error of the source ends that request as a [NoAnswerError].
func WithTokenSource(source TokenSource) ClientOption {
	return func(options *clientOptions) { options.token = source }
}

// WithInsecureToken sends the token over plain http to another machine too, where whoever stands between can read it. Otherwise [NewClient]
// fails for such a server.
func WithInsecureToken() ClientOption {
	return func(options *clientOptions) { options.insecureToken = true }
}

// tokenFrom asks the source. No error holds the token: what the source says is left out of the text.
func tokenFrom(ctx context.Context, source TokenSource) (string, error) {
	token, err := source(ctx)
	if err != nil {
		return "", &tokenError{fmt.Sprintf("the source of the token failed: %T", err), err}
	}
	if !tokenPattern.MatchString(token) {
		return "", &tokenError{"the source of the token gave none: " + errNoToken.Error(), nil}
	}
	return token, nil
}

// tokenError ends a request before it is sent.
type tokenError struct {
	detail string
	cause  error
}

func (e *tokenError) Error() string {
	return e.detail
}

func (e *tokenError) Unwrap() error {
	return e.cause
}

// isSafeAt is true when what is sent there cannot be read on the way.
func isSafeAt(server *url.URL) bool {
	host := server.Hostname()
	return server.Scheme == "https" || host == "localhost" || net.ParseIP(host).IsLoopback()
}
