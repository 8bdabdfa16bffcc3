// Package check checks a submission to MLPerf Endpoints by the rules of the official checker. It reports the same rule,
// severity, section and path, with its own descriptions and advice.
//
// In scope: the folder of a submission, the rules. Out of scope: building a submission.
package check
