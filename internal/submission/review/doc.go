// Package review sorts what a check found for those who review a round: breaches that they act on, by kind and
// submitter; faults of files and forms, folded; and on demand each result beside that of the same system in another
// round.
//
// Make sorts a report of package check, Compare sets two trees side by side, and WriteText prints both.
//
// In: findings and results. Out: the findings themselves, which are package check's; pages.
package review
