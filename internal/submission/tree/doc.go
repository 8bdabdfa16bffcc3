// Package tree is the layout of a submission: which file lies where, for the rounds since v0.5, and what a folder
// has of it.
//
// Place and Layout say where things belong; Open reads the names, kinds and sizes of everything in a folder, once, and
// finds the divisions, submitters, systems, benchmarks and scenarios in it. It judges nothing and stops at nothing:
// what cannot be read is in Tree.Faults.
//
// In: names. Out: what the files hold, and whether that is good: package check.
package tree
