// Package truncate truncates accuracy logs as the official tool does: what it leaves alone, what it does twice and
// where it stops are the same, and the files too.
//
// In: a tree, the official tool's arguments. Out: truncating logs safely (package internal/submission/truncate).
package truncate
