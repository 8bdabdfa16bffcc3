// Package tree defines the layout of a submission, the place of each file for the rounds since v0.5, and reads it from
// a folder.
//
// Place and Layout define the places. Open reads the names, kinds and sizes of everything in a folder once, and finds
// the divisions, submitters, systems, benchmarks and scenarios in it. It does not judge, and continues after errors;
// Tree.Faults lists unreadable entries.
//
// In scope: names. Out of scope: the contents of files and their checks (package check).
package tree
