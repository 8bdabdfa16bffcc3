// Package audits judges the compliance tests TEST01 and TEST04 to TEST09 as the official scripts do: to the letter of
// what they print and write, to the exit code, and with all that they let pass.
//
// In: logs, the scripts' arguments. Out: what Plumbline itself wants of an audit, placing a verdict (package audit).
package audits
