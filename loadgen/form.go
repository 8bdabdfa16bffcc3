package loadgen

// FieldForm is the way in which the official LoadGen converts a number in a configuration file to a setting's value.
type FieldForm int

// The forms. Numbers are read twice, as an unsigned integer and as a double; the form says which of them counts.
const (
	CountForm       FieldForm = iota // unsigned integer
	Count32Form                      // unsigned integer, of which the low 32 bits count, as those of a signed number
	TokenCountForm                   // unsigned integer, ignored unless tokens are inferred
	NumberForm                       // double
	PercentForm                      // double, times 0.01
	MillisForm                       // integer milliseconds
	WrapMillisForm                   // integer milliseconds, held as nanoseconds modulo 2^64
	FracMillisForm                   // double milliseconds
	NearMillisForm                   // double milliseconds, held as the nearest nanosecond
	TokenMillisForm                  // WrapMillisForm, ignored unless token latencies are on
	BooleanForm                      // anything but 0 is on
	ExactlyOneForm                   // 1 is on, everything else off
	ModeForm                         // 0 to 3, others are ignored
	SmallForm                        // int
)
