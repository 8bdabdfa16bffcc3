package metrics

import "time"

// LoadKind is the rule that determines when requests are sent.
type LoadKind string

// The kinds of load.
const (
	MaximumLoad LoadKind = "maximum" // everything is due at once
	RateLoad    LoadKind = "rate"    // requests arrive at a rate, which may change
	ReplayLoad  LoadKind = "replay"  // requests arrive as those of a trace did
	UsersLoad   LoadKind = "users"   // each user waits for an answer, thinks, and asks again
)

// NoLimit stands for a limit of LoadGen's that nobody set, where LoadGen wants one: no answer takes so long.
const NoLimit = 365 * 24 * time.Hour
