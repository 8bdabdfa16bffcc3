// Package check judges a submission before reviewers do: every rule, on every folder. Each fault states the path, the
// value found and expected, the rule's source and what to do. It stops at nothing that it finds.
//
// Run is the entry; one file holds the rules of one family, and rules.go lists the families with their sources. It is
// stricter than the official checker. Package official/checker gives that one's verdict.
//
// In: a tree, the rules of its round. Out: changing the tree.
package check
