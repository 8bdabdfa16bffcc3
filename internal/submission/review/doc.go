// Package review sorts a check's findings for reviewers of a round: breaches by kind and submitter; faults of files and
// forms, folded; and, on request, each result next to the same system's result in another round.
//
// Make sorts a report of package check, Compare sets two trees side by side, and WriteText prints both.
//
// In scope: findings and results. Out of scope: the findings themselves (package check); pages.
package review
