//go:build race

package loadgen_test

// raceDetector says that the race detector is on: it allocates memory of its own.
const raceDetector = true
