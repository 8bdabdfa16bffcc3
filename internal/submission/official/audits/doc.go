// Package audits judges the compliance tests TEST01 and TEST04 to TEST09 exactly like the official scripts, with the
// same output, files, exit codes and gaps.
//
// In scope: logs, the scripts' arguments. Out of scope: Plumbline's own rules for an audit, and placing a verdict
// (package audit).
package audits
