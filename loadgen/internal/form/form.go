// Package form lists the conversions by which the official LoadGen turns a number in a configuration file into a
// setting.
package form

// Form is one of them.
type Form int

// The forms. Numbers are read twice, as an unsigned integer and as a double; the form says which of them counts.
const (
	Count       Form = iota // unsigned integer
	Count32                 // unsigned integer, of which the low 32 bits count, as those of a signed number
	TokenCount              // unsigned integer, ignored unless tokens are inferred
	Number                  // double
	Percent                 // double, times 0.01
	Millis                  // integer milliseconds
	WrapMillis              // integer milliseconds, held as nanoseconds modulo 2^64
	FracMillis              // double milliseconds
	NearMillis              // double milliseconds, held as the nearest nanosecond
	TokenMillis             // WrapMillis, ignored unless token latencies are on
	Boolean                 // anything but 0 is on
	ExactlyOne              // 1 is on, everything else off
	Mode                    // 0 to 3, others are ignored
	Small                   // int
)
