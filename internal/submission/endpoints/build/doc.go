// Package build makes the tree of a submission to MLPerf Endpoints from the folders of its points.
//
// A Workspace is a folder of the submitter's: which points belong to the submission, and what a person says of systems
// and models. Init writes the sheets that a person fills in, Workspace.Add takes points in, NewPlan says of every file
// of the tree where it comes from and what is missing, and Plan.Write makes it whole or not at all. Points are read and
// never written to.
//
// In: the client's files of each point, sheets. Out: measuring points, and whether the tree is good: package check.
package build
