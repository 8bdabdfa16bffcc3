// Package drive makes the runs of a curve's plan, point after point, in the official client's files, and resumes after
// an interrupt.
//
// In: a plan, a client that sends the requests of a point (Own), which points are kept, when a point may end, the
// steady window, point.yaml. Out: choosing points (plan), the detector (steady), the requests (serving), the tree that
// is submitted.
package drive
