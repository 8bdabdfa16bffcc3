// Package check checks a submission to MLPerf Endpoints by the rules of the official checker. It reports rule,
// severity, section and path as that does, in our words, and what to do.
//
// In: the folder of a submission, the rules. Out: making one.
package check
