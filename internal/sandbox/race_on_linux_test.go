//go:build race

package sandbox

// underRace states that this binary reserves terabytes of address space for the race detector.
const underRace = true
