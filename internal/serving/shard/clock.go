package shard

import "time"

// unknownError is the error of a clock whose system does not say how wrong it may be.
const unknownError = time.Duration(-1)

// Clock tells the name of this machine's wall clock, and by how much it may be wrong, as Part wants them. Name is empty
// where the system has none: on Linux it is that of the boot, which all containers of a machine share. The error is
// below 0 where the system does not say, or keeps its clock by no other.
func Clock() (name string, mayBeWrong time.Duration) { return systemClock() }
