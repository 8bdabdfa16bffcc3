// Package assemble makes the tree of a submission from runs.
//
// A Workspace is a folder of the submitter's: which runs belong to the submission, and what a person says of the system
// and the models. Init writes the sheets that a person fills in, Workspace.Add takes runs in, and NewPlan says of every
// file of a tree where it comes from, before Plan.Write makes it whole or not at all. Runs are read and never written
// to.
//
// In: result.json and the files of runs and audits, sheets, layouts of package tree. Out: whether the tree is good:
// package check.
package assemble
