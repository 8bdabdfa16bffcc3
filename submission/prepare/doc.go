// Package prepare completes a submission's tree: results that the rules let be inferred are copied to the scenarios
// that were not measured, and those of a high accuracy target to the low one.
//
// In: which results may be inferred, copies, a new tree. Out: judging a tree (package check), making one of runs
// (package build).
package prepare
