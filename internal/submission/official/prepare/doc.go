// Package prepare makes a new tree like the official preprocessing tool. It judges each result by the previous official
// checker, removes failed results or moves them to the open division, and copies results that may be inferred.
//
// In scope: a tree, the official tool's arguments. Out of scope: completing a tree without judging it (package
// internal/submission/prepare), the present official checker (package official/checker).
package prepare
