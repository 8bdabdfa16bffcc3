// Package submission is the way from runs to a submission: audits, the tree of files, its check and its results. Its
// packages each do one of these; this one only names them.
package submission
