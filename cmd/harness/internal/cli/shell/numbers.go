package shell

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The annotations of numeric flags. minAnnotation contains the smallest value that CheckNumbers accepts and the text
// for its error. zeroAnnotation makes noZero reject a 0, whose meaning would be that of an omitted flag.
const (
	minAnnotation  = "min"
	zeroAnnotation = "no zero"
)

// annotateFlag adds an annotation to an existing flag.
func annotateFlag(flags *pflag.FlagSet, name, key string, values ...string) {
	if err := flags.SetAnnotation(name, key, values); err != nil {
		panic(err) // the flag does not exist
	}
}

// SetMin makes CheckNumbers reject smaller values of a flag, an int or a time in nanoseconds. want is the requirement
// in the error; empty: at least the minimum.
func SetMin(flags *pflag.FlagSet, name string, least int, want string) {
	if want == "" {
		want = fmt.Sprintf("at least %d", least)
	}
	annotateFlag(flags, name, minAnnotation, strconv.Itoa(least), want)
}

// CheckNumbers reports all given numbers that are too small.
func CheckNumbers(flags *pflag.FlagSet) error {
	var faults []error
	flags.Visit(func(f *pflag.Flag) {
		rule := f.Annotations[minAnnotation]
		if rule == nil {
			return
		}
		least, _ := strconv.Atoi(rule[0])
		if n, err := flags.GetInt(f.Name); err == nil && n < least {
			faults = append(faults, fmt.Errorf("--%s %d: want %s", f.Name, n, rule[1]))
		}
		if d, err := flags.GetDuration(f.Name); err == nil && d < time.Duration(least) {
			faults = append(faults, fmt.Errorf("--%s %v: want %s", f.Name, d, rule[1]))
		}
	})
	return errors.Join(faults...)
}

// rejectZeros rejects a 0 for flags where it would mean the same as omitting the flag.
func rejectZeros(c *cobra.Command) error {
	var faults []error
	c.Flags().Visit(func(f *pflag.Flag) { // in alphabetical order
		if f.Annotations[zeroAnnotation] != nil && f.Value.String() == "0" {
			faults = append(faults, fmt.Errorf("--%s 0: want at least 1, or leave the flag out", f.Name))
		}
	})
	return errors.Join(faults...)
}
