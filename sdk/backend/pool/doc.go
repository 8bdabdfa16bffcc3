// Package pool makes one backend.Session, or one backend.Generator, of several: one for each device.
//
// Each run goes to the device with the fewest runs in work for its width, so that a fast device takes more than a slow
// one. A device that fails fails the run, by name.
//
// In: opening the devices, the choice among them, what each has done.
// Out: batches (sdk/batch), which devices there are (the backend).
package pool
