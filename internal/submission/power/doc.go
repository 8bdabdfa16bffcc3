// Package power judges the power measurement of a submission: its files, its average, the ratings of the system's power
// supplies, and the session records of the official power tools.
//
// In scope: the folders run_1, ranging and power of a result, the file SYSTEM_power.yaml. Out of scope: the layout of
// spl.txt, the average and the metric (package internal/power/spl), rows and verdicts of a submission (packages result
// and check).
package power
