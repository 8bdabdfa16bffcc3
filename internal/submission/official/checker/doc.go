// Package checker reproduces the official submission checker of August 2026 for the rounds v5.0 to v6.1: its verdict,
// the folders that it refuses, and its summary. It reads the tree anew in that checker's order and with its slips, so
// that a tree can be tried before it is sent; what Plumbline itself wants of a tree is package check.
//
// Where the official checker would end with a traceback, and say nothing of the folders behind, the crash is noted and
// the reading goes on. Results of endpoints runs, which have no logs of LoadGen, are not read.
//
// In: a tree, a round, the official checker's arguments.
// Out: rules that the official checker does not look at (package check), the look of tables (package result).
package checker
