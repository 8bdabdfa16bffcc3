// Package drive makes the runs of a plan of a curve of MLPerf Endpoints, point after point, into the official client's
// files of each, and goes on where an interrupt ended it.
//
// In: a plan, a client that sends the requests of a point (Own), which points are kept, when a point may end, the
// steady window, point.yaml. Out: choosing points (plan), the detector (steady), the requests (serving), the tree that
// is submitted.
package drive
