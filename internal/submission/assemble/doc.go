// Package assemble makes the tree of a submission from runs.
//
// A Workspace is the submitter's folder. It lists the runs of the submission and contains the submitter's statements
// about the system and the models. Init writes the sheets that a person fills in, and Workspace.Add adds runs. NewPlan
// lists the origin of every file of a tree, and Plan.Write writes the tree completely or not at all. Runs are only
// read.
//
// In scope: result.json and the files of runs and audits, sheets, layouts of package tree. Out of scope: checking the
// tree (package check).
package assemble
