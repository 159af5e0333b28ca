truncate job, attestation;
checkpoint
