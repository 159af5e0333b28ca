// Package agwp is the client and the worker runtime of AGWP, a service that gives jobs to workers under leases with fencing tokens.
//
// [Client] has a method for each operation of the contract; [Worker] claims jobs, runs a handler for each, heartbeats meanwhile and
// reports how it ended. Messages are plain structs made from the contract: an optional field is a pointer, and nil is not sent ([Ptr] makes
// one). Fields that a later release adds to an answer are ignored, and words it adds to a set are kept as they are.
package agwp

// Version is the release of this SDK.
const Version = "@VERSION@"
