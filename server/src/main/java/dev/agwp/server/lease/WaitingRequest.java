package dev.agwp.server.lease;

/** An acquire that waits and has a request_id, as a row for a statement. */
record WaitingRequest(long ticket, String holder, String requestId) {}
