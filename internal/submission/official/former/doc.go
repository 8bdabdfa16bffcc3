// Package former reproduces the official submission checkers of the rounds before v5.0: the verdict, the folders
// without a result, and the summary. Each round had a checker of its own, one program that grew from round to round;
// what a round's has that others have not is in the section former_checker of the round's file.
//
// The checkers walked the tree in the file system's order; this package uses the order of names. If one would have
// ended with a traceback, this package notes the crash and goes on.
//
// In: a tree, a round, the official checker's arguments; trees of later rounds go on to the checker since v5.0.
// Out: what that one says (package checker), rules that no official checker looks at (package check).
package former
