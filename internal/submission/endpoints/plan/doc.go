// Package plan chooses the points of a curve of MLPerf Endpoints before any is run, and judges a plan that a person
// edited by the rules of which the official checker would tell only when all points have run.
//
// In: a model and the highest concurrency, or a plan's file. Out: points with what each needs at least, what is wrong,
// and the official client's configuration of each point.
package plan
