// Package former reproduces the official submission checkers of the rounds before v5.0: the verdict, the folders
// without a result, and the summary. Each round had its own version of the checker. The section former_checker of a
// round's file describes the peculiarities of its version.
//
// The checkers walked the tree in the file system's order; this package uses the order of names. If a checker would
// have ended with a traceback, this package reports the crash and continues.
//
// In scope: a tree, a round, the official checker's arguments; trees of later rounds are passed to package checker. Out
// of scope: the checker since v5.0 (package checker), rules that no official checker checks (package check).
package former
