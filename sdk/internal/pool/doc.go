// Package pool combines the sessions or generators of several devices into one backend.Session or backend.Generator.
//
// Each run goes to the device with the fewest runs in progress relative to its width, so a fast device gets more runs
// than a slow one. If a device fails, the run fails with an error that names it.
//
// In scope: opening the devices, choosing among them, counting the work of each. Out of scope: batches (package batch),
// listing devices (the backend).
package pool
