// Package checker reproduces the official submission checker of August 2026 for the rounds v5.0 to v6.1: its verdict,
// the folders that it refuses, and its summary. It reads the tree in that checker's order and with its errors, so a
// tree can be tested before it is submitted. Package check contains Plumbline's own rules.
//
// If the official checker would end with a traceback and skip later folders, this package reports the crash and
// continues. Results of endpoints runs are not read, since they contain no LoadGen logs.
//
// In scope: a tree, a round, the official checker's arguments. Out of scope: rules that the official checker does not
// check (package check), the layout of tables (package result).
package checker
