// Package evidence contains the common parts of both judges of an audit, Plumbline's own (package audit) and the
// official scripts' (package official/audits). It compares answers, scores, entropies and lengths in the scripts'
// arithmetic, and writes a submission's texts about them.
//
// In scope: logs, the limits of a test. Out of scope: whether an audit passes (each judge).
package evidence
