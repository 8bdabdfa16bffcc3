package metrics

import "time"

// LoadKind is the rule that determines when requests are sent.
type LoadKind string

// The kinds of load.
const (
	MaximumLoad LoadKind = "maximum" // all requests are due at once
	RateLoad    LoadKind = "rate"    // requests arrive at a rate, which may change
	ReplayLoad  LoadKind = "replay"  // requests arrive at the times of a trace
	UsersLoad   LoadKind = "users"   // each user waits for an answer, pauses, and sends the next request
)

// NoLimit replaces a limit that LoadGen requires but the user did not set. It is longer than any answer takes.
const NoLimit = 365 * 24 * time.Hour
