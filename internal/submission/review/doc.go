// Package review sorts a check's findings for reviewers of a round: breaches by kind and submitter; faults of files and
// forms, folded; and on demand each result next to that of the same system in another round.
//
// Make sorts a report of package check, Compare sets two trees side by side, and WriteText prints both.
//
// In: findings and results. Out: the findings themselves, which are package check's; pages.
package review
