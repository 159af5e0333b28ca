package agwp

import (
	"errors"
	"net/http"
	"strings"
)

// Error is a call that was refused, or whose fate is not known. Every error that a method of [Client] returns for an answer, or for none,
// can be had as one with [errors.As]; decide by Code, and for a refused call on a job, a lease or an integration by Reason. A word that this release does not know
// is given as the server sent it.
type Error struct {
	// Code is the kind of problem, for example [CodeInvalidArgument]; [CodeUnavailable] when no answer came.
	Code string `json:"code"`
	// Reason says why a call on a job, a lease or an integration was refused, for example [ReasonStaleFencingToken]; empty where none of them is why, and from servers
	// before release 1.2.0.
	Reason string `json:"reason,omitempty"`
	// Status is the HTTP status, 400 to 599; 0 when no answer came, and 200 for one call of many, which is refused within an answer.
	Status int `json:"-"`
	// Detail says what was wrong and what to send instead, for people.
	Detail string `json:"detail"`
	// FieldErrors are the fields at fault; empty where no field is.
	FieldErrors []FieldError `json:"errors,omitempty"`
	// RequestID is what the server's log calls the request; empty when no answer came, and for one call of many.
	RequestID string `json:"-"`

	cause error
}

// Error gives the detail.
func (e *Error) Error() string {
	return e.Detail
}

// Unwrap gives what broke the call off: the error of the network, or that of the context.
func (e *Error) Unwrap() error {
	return e.cause
}

// AccessRefusedError says that the server does not know the caller, [CodeUnauthenticated], or does not let it do this,
// [CodePermissionDenied]. Nothing was done, and a repeat with the same token would be refused too. It wraps an [Error].
type AccessRefusedError struct{ refusal *Error }

// Error gives the detail.
func (e *AccessRefusedError) Error() string {
	return e.refusal.Detail
}

// Unwrap gives the [Error].
func (e *AccessRefusedError) Unwrap() error {
	return e.refusal
}

// LostClaimError says that the caller does not hold the job, or not any more: stop working on it. It wraps an [Error].
type LostClaimError struct{ refusal *Error }

// Error gives the detail.
func (e *LostClaimError) Error() string {
	return e.refusal.Detail
}

// Unwrap gives the [Error].
func (e *LostClaimError) Unwrap() error {
	return e.refusal
}

// NoAnswerError says that no answer came, or none of the contract, so that whether the server did what was asked is not known: read the
// job. It wraps an [Error] with status 0.
type NoAnswerError struct{ failure *Error }

// Error gives the detail.
func (e *NoAnswerError) Error() string {
	return e.failure.Detail
}

// Unwrap gives the [Error].
func (e *NoAnswerError) Unwrap() error {
	return e.failure
}

// UnfencedServerError ends a worker that requires fencing and met a server that does not say it checks fencing tokens: one before release
// 1.2.0. The jobs it gave were handed back. Upgrade the servers, all of them, before the workers require it.
type UnfencedServerError struct{}

// Error says what to do.
func (e *UnfencedServerError) Error() string {
	return "agwp: the server does not say that it checks fencing tokens (fencing_enforced), as servers do from release 1.2.0 on; " +
		"what it gave was handed back. Upgrade the server, or work without WithRequireFencing"
}

// ErrClaimLost is the cause ([context.Cause]) of a handler's cancelled context when somebody else may work on the job.
var ErrClaimLost = errors.New("agwp: the claim was lost")

// ErrWorkerClosed is the cause ([context.Cause]) of a handler's cancelled context when its worker closes.
var ErrWorkerClosed = errors.New("agwp: the worker closes")

func noAnswer(detail string, cause error) error {
	return &NoAnswerError{&Error{Code: CodeUnavailable, Detail: detail, cause: cause}}
}

// lostClaimTold turns the refusal of a holder's call into a [LostClaimError].
func lostClaimTold(err error) error {
	var refused *Error
	if !errors.As(err, &refused) || (refused.Status != http.StatusNotFound && refused.Status != http.StatusConflict) {
		return err
	}
	if !isLoss(refused.Reason) {
		return err
	}
	return &LostClaimError{refused}
}

// isLoss says whether a reason means that the claim is gone. A missing token, or an attestation the queue does not take, is no loss: the
// claim is held.
func isLoss(reason string) bool {
	return reason != ReasonFencingTokenRequired && !strings.HasPrefix(reason, "attestation_")
}
