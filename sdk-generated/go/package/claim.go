package agwp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

const heartbeatAgainMin = 200 * time.Millisecond

// ClaimedJob is a job that this worker holds. Goroutines may share it.
type ClaimedJob struct {
	claim *claim
}

// Job is the job as it was when claimed.
func (j *ClaimedJob) Job() Job {
	return j.claim.job
}

// ID names the job.
func (j *ClaimedJob) ID() string {
	return j.claim.job.JobId
}

// Payload is what to do; never nil.
func (j *ClaimedJob) Payload() Object {
	if j.claim.job.Payload == nil {
		return Object{}
	}
	return j.claim.job.Payload
}

// Attempts is which claim of the job this is, counted from 1.
func (j *ClaimedJob) Attempts() uint64 {
	return j.claim.job.Attempts
}

// FencingToken is the number of this claim, 1 to 4294967295: larger than that of every earlier claim of the job. The worker sends it with
// every call; give it to every store you write to for the job, so that a paused worker cannot write over what its successor wrote.
func (j *ClaimedJob) FencingToken() uint64 {
	return j.claim.fencingToken()
}

// Progress says how far the work is, 0 to 100 percent, and what it is doing, for people, at most 4096 characters; empty leaves the last
// message. It is sent with the next heartbeat. It fails, and changes nothing, when an argument is out of its range.
func (j *ClaimedJob) Progress(percent int, message string) error {
	if percent < 0 || percent > 100 {
		return fmt.Errorf("agwp: percent must be 0..100, got %d", percent)
	}
	if cut(message) != message {
		return fmt.Errorf("agwp: the message must be at most %d characters", textCharsMax)
	}
	j.claim.progress(int32(percent), message)
	return nil
}

// IsLost is true once somebody else may work on the job: stop, and touch nothing outside any more. The context of the handler is
// cancelled then, with the cause [ErrClaimLost].
func (j *ClaimedJob) IsLost() bool {
	j.claim.mutex.Lock()
	defer j.claim.mutex.Unlock()
	return j.claim.state == claimLost
}

type claimState int

const (
	claimHeld claimState = iota
	claimEnding
	claimLost
)

// claim is one claim from when it was given until it is ended or lost. It heartbeats at a third of the lease; when the server cannot be
// reached the claim is kept until its lease has run out by this machine's own monotonic clock, since until then nobody else gets the job.
type claim struct {
	client       *Client
	job          Job
	label        string
	leaseSeconds int32
	lease        time.Duration
	// stopHandler cancels the context that the handler runs in.
	stopHandler context.CancelCauseFunc
	ending      chan struct{}

	mutex     sync.Mutex
	state     claimState
	whyLost   string
	leaseEnds time.Time
	percent   *int32
	message   *string
}

func newClaim(client *Client, job Job, label string, leaseSeconds int32, stopHandler context.CancelCauseFunc) *claim {
	lease := time.Duration(leaseSeconds) * time.Second
	return &claim{
		client:       client,
		job:          job,
		label:        label,
		leaseSeconds: leaseSeconds,
		lease:        lease,
		stopHandler:  stopHandler,
		ending:       make(chan struct{}),
		leaseEnds:    time.Now().Add(lease),
	}
}

func (c *claim) fencingToken() uint64 {
	return c.job.Attempts
}

func (c *claim) progress(percent int32, message string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.percent = &percent
	if message != "" {
		c.message = &message
	}
}

// beginEnd ends the heartbeats so that the outcome can be reported. False, and why, when the claim was lost before: nothing is to be
// reported then.
func (c *claim) beginEnd() (held bool, whyLost string) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.state == claimLost {
		return false, c.whyLost
	}
	c.state = claimEnding
	close(c.ending)
	return true, ""
}

// heartbeat keeps the claim until it is ended or lost, or the context ends. A claim may be older than its answer where that came late: its
// first heartbeat is sent at once.
func (c *claim) heartbeat(ctx context.Context, atOnce bool) {
	wait := c.lease / 3
	if atOnce {
		wait = 0
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-c.ending:
			return
		case <-ctx.Done():
			return
		}
		again, held := c.beat(ctx)
		if !held {
			return
		}
		timer.Reset(again)
	}
}

// beat sends one heartbeat and says when to send the next; false when there is none to be sent.
func (c *claim) beat(ctx context.Context) (again time.Duration, held bool) {
	c.mutex.Lock()
	timeout := max(heartbeatAgainMin, min(c.lease/3, time.Until(c.leaseEnds)))
	request := HeartbeatJobRequest{
		Worker:        c.label,
		FencingToken:  Ptr(c.fencingToken()),
		LeaseSeconds:  &c.leaseSeconds,
		Progress:      c.percent,
		StatusMessage: c.message,
	}
	c.mutex.Unlock()

	sent := time.Now()
	err := c.client.heartbeatOnce(ctx, c.job.JobId, request, timeout)
	var lost *LostClaimError
	if errors.As(err, &lost) {
		return 0, c.lose(lost.Error())
	}
	if err == nil {
		return c.kept(sent)
	}
	if ctx.Err() != nil {
		return 0, false
	}
	slog.Warn("agwp: no heartbeat got through, trying again", "job_id", c.job.JobId, "error", err)
	return c.unknown()
}

func (c *claim) kept(sent time.Time) (time.Duration, bool) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	// From before the call: the server's lease began later, so this one ends first.
	c.leaseEnds = sent.Add(c.lease)
	return max(0, c.lease/3-time.Since(sent)), c.state == claimHeld
}

func (c *claim) unknown() (time.Duration, bool) {
	c.mutex.Lock()
	left := time.Until(c.leaseEnds)
	held := c.state == claimHeld
	c.mutex.Unlock()
	if left > 0 {
		return min(left, max(heartbeatAgainMin, c.lease/10)), held
	}
	return 0, c.lose("its lease ran out while the server could not be reached")
}

// lose always answers false: there is no next heartbeat.
func (c *claim) lose(why string) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	// A heartbeat that was under way when the claim ended finds it ended: that is no loss.
	if c.state == claimHeld {
		c.state = claimLost
		c.whyLost = why
		c.stopHandler(ErrClaimLost)
	}
	return false
}
