// Package plan chooses the points of a curve of MLPerf Endpoints, and checks an edited plan by rules that the official
// checker applies only after all points have run.
//
// In: a model and the highest concurrency, or a plan's file. Out: points with what each needs at least, what is wrong,
// and the official client's configuration of each point.
package plan
