package shell

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// The annotations of flags of numbers: what the smallest is that CheckNumbers accepts, with what the error about a
// smaller one asks for; and that leaving the flag out is what a 0 would mean, so that noZero refuses it.
const (
	minAnnotation  = "min"
	zeroAnnotation = "no zero"
)

// annotateFlag adds an annotation to a flag that flags have.
func annotateFlag(flags *pflag.FlagSet, name, key string, values ...string) {
	if err := flags.SetAnnotation(name, key, values); err != nil {
		panic(err) // there is no such flag
	}
}

// SetMin has CheckNumbers refuse a smaller value of a flag: an int, or a time of so many nanoseconds. want is what the
// error asks for; empty: at least so many.
func SetMin(flags *pflag.FlagSet, name string, least int, want string) {
	if want == "" {
		want = fmt.Sprintf("at least %d", least)
	}
	annotateFlag(flags, name, minAnnotation, strconv.Itoa(least), want)
}

// CheckNumbers lists the numbers that are given and are too small.
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

// noZero refuses a 0 where leaving the flag out is what it would mean.
func noZero(c *cobra.Command) error {
	var faults []error
	c.Flags().Visit(func(f *pflag.Flag) { // in the order of the alphabet
		if f.Annotations[zeroAnnotation] != nil && f.Value.String() == "0" {
			faults = append(faults, fmt.Errorf("--%s 0: want at least 1, or leave the flag out", f.Name))
		}
	})
	return errors.Join(faults...)
}
