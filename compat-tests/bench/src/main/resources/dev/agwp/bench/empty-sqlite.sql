delete from attestation;
delete from job
