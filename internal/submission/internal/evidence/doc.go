// Package evidence is what both readings of an audit share, Plumbline's own (package audit) and that of the official
// scripts (package official/audits): how answers, scores, entropies and lengths are compared in the scripts'
// arithmetic, and the texts in which a submission says so.
//
// In: logs, the bounds of a test. Out: whether an audit passes. Each of the two judges decides for itself.
package evidence
