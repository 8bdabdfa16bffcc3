// Package power judges the power measurement of a submission: its files, its average, what the power supplies of a
// system are made for, and what the official power tools recorded of their session.
//
// In: the folders run_1, ranging and power of a result, the file SYSTEM_power.yaml. Out: the layout of spl.txt, the
// average and the metric (package internal/power/spl), rows and verdicts of a submission (packages result and check).
package power
