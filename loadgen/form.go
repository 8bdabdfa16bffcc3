package loadgen

// FieldForm determines how the official LoadGen converts a number in a configuration file to a setting's value.
type FieldForm int

// The forms. A number is parsed both as an unsigned integer and as a double. The form selects one of them.
const (
	CountForm       FieldForm = iota // unsigned integer
	Count32Form                      // unsigned integer whose low 32 bits are read as a signed number
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
