package shard

import "time"

// unknownError is the error of a clock whose system does not report its accuracy.
const unknownError = time.Duration(-1)

// WallClock returns the name and the maximum error of this machine's wall clock, for Part. name is empty if the system
// has none. On Linux it is the boot id, which all containers of a machine share. mayBeWrong is below 0 if the system
// does not report an error or does not synchronize its clock.
func WallClock() (name string, mayBeWrong time.Duration) { return systemClock() }
