// Package plan chooses the points of a curve of MLPerf Endpoints, and checks an edited plan by rules that the official
// checker applies only after all points have run.
//
// Input: a model and the highest concurrency, or a plan's file. Output: points with their minimum requirements, faults,
// and the official client's configuration of each point.
package plan
