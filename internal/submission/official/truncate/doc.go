// Package truncate truncates accuracy logs like the official tool. It skips the same logs, repeats the same work, stops
// at the same places and writes the same files.
//
// In scope: a tree, the official tool's arguments. Out of scope: truncating logs safely (package
// internal/submission/truncate).
package truncate
