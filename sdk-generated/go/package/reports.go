package agwp

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"
)

const (
	reportForMin   = 60 * time.Second
	reportPauseMax = 2 * time.Second
)

type reportResult int

const (
	reportTaken reportResult = iota
	reportLost
	reportUnknown
)

// reports tells the server how a claim ended. When no answer comes it looks the job up: the report may have been taken, and reporting it
// again would then be refused; or it was not, and is sent again.
type reports struct {
	client *Client
	lease  time.Duration
}

func (r *reports) report(ctx context.Context, c *claim, outcome Outcome) reportResult {
	result, refused := r.send(ctx, c, outcome)
	if refused == nil {
		return result
	}
	var stranger *AccessRefusedError
	if errors.As(refused, &stranger) {
		// It says nothing of the outcome: to report another one in its place would make a failure of a success.
		slog.Warn("agwp: the server refuses this worker, the lease will run out", "job_id", c.job.JobId, "error", refused)
		return reportUnknown
	}
	// The outcome itself was refused, for example a summary that is too long. Silence would leave the job to its lease.
	slog.Warn("agwp: the outcome was refused", "job_id", c.job.JobId, "error", refused)
	message := cut("the outcome was refused: " + refused.Error())
	if result, refused = r.send(ctx, c, Retry("outcome_refused", message)); refused == nil {
		return result
	}
	slog.Warn("agwp: that an outcome was refused was refused too", "job_id", c.job.JobId, "error", refused)
	return reportUnknown
}

func (r *reports) send(ctx context.Context, c *claim, outcome Outcome) (reportResult, error) {
	completion, failure := outcome.report()
	if completion != nil {
		return r.complete(ctx, c, *completion)
	}
	return r.fail(ctx, c, *failure)
}

func (r *reports) complete(ctx context.Context, c *claim, request CompleteJobRequest) (reportResult, error) {
	request.Worker = c.label
	request.FencingToken = Ptr(c.fencingToken())
	digest := ""
	if request.Attestation != nil {
		digest = fmt.Sprintf("sha256:%x", sha256.Sum256(request.Attestation.Body))
	}
	return r.untilKnown(ctx, c, func() error {
		_, err := r.client.CompleteJob(ctx, c.job.JobId, request)
		return err
	}, func(now *Job) bool {
		return now.State == JobStateSucceeded && isOfHolder(c, now) && orEmpty(now.Outcome) == string(request.Outcome) &&
			orEmpty(now.AttestationDigest) == digest
	})
}

func (r *reports) fail(ctx context.Context, c *claim, request FailJobRequest) (reportResult, error) {
	request.Worker = c.label
	request.FencingToken = Ptr(c.fencingToken())
	return r.untilKnown(ctx, c, func() error {
		_, err := r.client.FailJob(ctx, c.job.JobId, request)
		return err
	}, func(now *Job) bool {
		return now.State != JobStateClaimed && now.Attempts == c.job.Attempts && now.LastError != nil &&
			now.LastError.Reason == orEmpty(request.Reason)
	})
}

func (r *reports) release(ctx context.Context, c *claim) reportResult {
	request := ReleaseJobRequest{Worker: c.label, FencingToken: Ptr(c.fencingToken())}
	result, refused := r.untilKnown(ctx, c, func() error {
		_, err := r.client.ReleaseJob(ctx, c.job.JobId, request)
		return err
	}, func(now *Job) bool {
		return now.State == JobStateQueued && now.Attempts == c.job.Attempts
	})
	if refused != nil {
		slog.Warn("agwp: a release was refused", "job_id", c.job.JobId, "error", refused)
		return reportUnknown
	}
	return result
}

// untilKnown answers an error when the request itself was refused.
func (r *reports) untilKnown(ctx context.Context, c *claim, send func() error, wasTaken func(*Job) bool) (reportResult, error) {
	giveUp := time.Now().Add(max(reportForMin, r.lease))
	for {
		err := send()
		if err == nil {
			return reportTaken, nil
		}
		var lost *LostClaimError
		if errors.As(err, &lost) {
			// An earlier try may have been taken, and a server of 1.0.0 refuses the repeat.
			if known, taken := r.lookUp(ctx, c, wasTaken); known && taken {
				return reportTaken, nil
			}
			return reportLost, nil
		}
		if !mayPass(err) {
			return reportUnknown, err
		}
		if known, taken := r.lookUp(ctx, c, wasTaken); known {
			if taken {
				return reportTaken, nil
			}
			return reportLost, nil
		}
		if time.Now().After(giveUp) || !sleep(ctx, rand.N(reportPauseMax)) {
			return reportUnknown, nil
		}
	}
}

// lookUp says whether the report was taken; known is false when the job is held as before or cannot be read.
func (r *reports) lookUp(ctx context.Context, c *claim, wasTaken func(*Job) bool) (known, taken bool) {
	now, err := r.client.GetJob(ctx, c.job.JobId)
	if err != nil || (now.State == JobStateClaimed && isOfHolder(c, now)) {
		return false, false
	}
	return true, wasTaken(now)
}

func isOfHolder(c *claim, now *Job) bool {
	// A label holds no bar, so what follows the last one is the label.
	return now.Attempts == c.job.Attempts && strings.HasSuffix(orEmpty(now.ClaimedBy), "|"+c.label)
}

// mayPass is true when the same call may be answered later: no answer came, the server is in trouble, or it has too much to do.
func mayPass(err error) bool {
	var failed *Error
	if !errors.As(err, &failed) {
		return false
	}
	return failed.Status == 0 || failed.Status >= 500 || failed.Status == http.StatusTooManyRequests
}
