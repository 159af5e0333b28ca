package agwp

import (
	"math"
	"time"
	"unicode/utf16"
)

// textCharsMax is the longest summary or message that the contract takes, in characters.
const textCharsMax = 4096

// Outcome is how an attempt ended: with a [Verdict] ([Passed], [Failed]), which completes the job, or without one ([Retry], [RetryAfter],
// [Dead]), which fails the attempt.
type Outcome interface {
	// Word is passed, failed, or none without a verdict.
	Word() string
	// Text is what is said of it, for people; empty when nothing is.
	Text() string

	report() (completion *CompleteJobRequest, failure *FailJobRequest)
}

// Verdict is the outcome of a validation that ran to its end.
type Verdict struct {
	request CompleteJobRequest
}

// Passed says that the validation ran to its end and found nothing wrong. The summary is for people, at most 4096 characters; it may be
// empty.
func Passed(summary string) Verdict {
	return Verdict{CompleteJobRequest{Outcome: JobOutcomePassed, Summary: orAbsent(summary)}}
}

// Failed says that the validation ran to its end and found something wrong. The summary is for people, at most 4096 characters; it may be
// empty.
func Failed(summary string) Verdict {
	return Verdict{CompleteJobRequest{Outcome: JobOutcomeFailed, Summary: orAbsent(summary)}}
}

// WithAttestation adds the evidence: its media type, for example application/vnd.in-toto+json, and 1 byte to 1 MiB, stored byte for byte.
func (v Verdict) WithAttestation(mediaType string, body []byte) Verdict {
	v.request.Attestation = &Attestation{MediaType: mediaType, Body: body}
	return v
}

// WithResult adds what was found, for programs: at most 256 KiB as JSON.
func (v Verdict) WithResult(result Object) Verdict {
	v.request.Result = result
	return v
}

// WithLogURL adds where the log is, an http or https URL of at most 2048 characters.
func (v Verdict) WithLogURL(logURL string) Verdict {
	v.request.LogUrl = &logURL
	return v
}

// Word is passed or failed.
func (v Verdict) Word() string {
	return string(v.request.Outcome)
}

// Text is the summary; empty when there is none.
func (v Verdict) Text() string {
	return orEmpty(v.request.Summary)
}

func (v Verdict) report() (*CompleteJobRequest, *FailJobRequest) {
	return &v.request, nil
}

type noVerdict struct {
	request FailJobRequest
}

// Retry says that there is no verdict and that the job is to be tried again after the server's backoff. The reason is a word for programs,
// 1 to 256 characters; the message a sentence for people, at most 4096 characters, and may be empty.
func Retry(reason, message string) Outcome {
	return noVerdict{FailJobRequest{Reason: &reason, Message: orAbsent(message)}}
}

// RetryAfter is as [Retry], with the time until the next attempt instead of the server's backoff: 0 to a year, rounded up to whole seconds.
func RetryAfter(reason, message string, delay time.Duration) Outcome {
	seconds := int32(min(math.MaxInt32, (delay+time.Second-1)/time.Second))
	return noVerdict{FailJobRequest{Reason: &reason, Message: orAbsent(message), RetryDelaySeconds: &seconds}}
}

// Dead says that there is no verdict and never will be one: the job ends dead. Reason and message are as for [Retry].
func Dead(reason, message string) Outcome {
	return noVerdict{FailJobRequest{Reason: &reason, Message: orAbsent(message), Terminal: Ptr(true)}}
}

func (n noVerdict) Word() string {
	return "none"
}

func (n noVerdict) Text() string {
	return orEmpty(n.request.Message)
}

func (n noVerdict) report() (*CompleteJobRequest, *FailJobRequest) {
	return nil, &n.request
}

func orAbsent(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// cut shortens a text of ours, such as the message of an error, to what the contract takes. It counts UTF-16 units, the largest count
// that any server makes of the characters.
func cut(text string) string {
	units := 0
	for at, character := range text {
		if units += utf16.RuneLen(character); units > textCharsMax {
			return text[:at]
		}
	}
	return text
}
