package dev.agwp.server.job;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonUnwrapped;

/**
 * Who calls for which job, by which claim: what the guard of every call of a holder compares.
 *
 * @param requestId the X-Request-Id of the call, for the audit log
 */
public record HolderCall(String jobId, Holder holder, @JsonUnwrapped FencingToken token, @JsonIgnore String requestId) {}
