// Package check says of a submission to MLPerf Endpoints what holds, what does not, and what to do: the rules of the
// official checker, in rule, severity, section and path as it has them, in our words.
//
// In: the folder of a submission, the rules. Out: making one.
package check
