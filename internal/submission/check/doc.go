// Package check applies every rule to every folder of a submission before reviewers do. Each fault states the path, the
// values found and expected, the rule's source and what to do. A fault does not end the check.
//
// Run is the entry point. Each file contains the rules of one family; rules.go lists the families with their sources.
// The check is stricter than the official checker, whose verdict package official/checker reproduces.
//
// In scope: a tree, the rules of its round. Out of scope: changing the tree.
package check
