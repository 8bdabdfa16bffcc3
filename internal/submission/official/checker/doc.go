// Package checker reproduces the official submission checker of August 2026 for the rounds v5.0 to v6.1: its verdict,
// the folders that it refuses, and its summary. It reads the tree anew in that checker's order and with its slips, so
// that a tree can be tried before it is sent; package check contains Plumbline's own rules.
//
// If the official checker would end with a traceback, without a word on later folders, this package notes the crash and
// goes on. Results of endpoints runs, which have no logs of LoadGen, are not read.
//
// In: a tree, a round, the official checker's arguments.
// Out: rules that the official checker does not look at (package check), the look of tables (package result).
package checker
