//go:build race

package loadgen_test

// raceDetector reports whether the race detector is on. It allocates memory itself.
const raceDetector = true
