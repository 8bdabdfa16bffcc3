// Package drive runs the points of a curve's plan one after the other, writes the official client's files, and resumes
// after an interrupt.
//
// In scope: a plan, a client that sends the requests of a point (Own), the choice of points to keep, the end of a
// point, the steady window, point.yaml. Out of scope: choosing points (plan), the detector (steady), the requests
// (serving), the submission's tree.
package drive
