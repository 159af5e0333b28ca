"""Words the server may add to, so they are text and not an enum."""


class JobState:
    """The values of ``Job.state`` this release knows. Treat what is not listed here as "not ended, not mine"."""

    QUEUED = "queued"  #: Waits for its ``run_at`` or for a claim.
    CLAIMED = "claimed"  #: Has a holder, whose lease may have run out.
    SUCCEEDED = "succeeded"  #: Was completed, whatever its outcome.
    DEAD = "dead"  #: Ended without a verdict.
    CANCELLED = "cancelled"  #: Was cancelled.
