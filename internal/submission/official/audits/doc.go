// Package audits judges the compliance tests TEST01 and TEST04 to TEST09 exactly as the official scripts do: what they
// print and write, their exit code, and what they let pass.
//
// In: logs, the scripts' arguments. Out: Plumbline's own rules for an audit, and placing a verdict (package audit).
package audits
