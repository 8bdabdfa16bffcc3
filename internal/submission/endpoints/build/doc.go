// Package build makes the tree of a submission to MLPerf Endpoints from the folders of its points.
//
// A Workspace is the submitter's folder. It lists the points of the submission and contains the submitter's statements
// about systems and models. Init writes the sheets that a person fills in, and Workspace.Add adds points. NewPlan lists
// the origin of every file of the tree and what is missing, and Plan.Write writes the tree completely or not at all.
// Points are only read.
//
// In scope: the client's files of each point, sheets. Out of scope: measuring points, and checking the tree (package
// check).
package build
