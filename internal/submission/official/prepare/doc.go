// Package prepare makes a new tree as the official preprocessing tool does: it judges each result by the checker before
// the present one, removes what fails or moves it to the open division, and copies what may be inferred.
//
// In: a tree, the official tool's arguments. Out: completing a tree without judging it (package
// internal/submission/prepare), what the present official checker says (package official/checker).
package prepare
