// Command synthetic-clicks writes a synthetic click log to a folder in the official layout of the recommendation
// benchmark's sample variant.
//
//	synthetic-clicks -set train -n 1000000 -out DIR
package main

import (
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/clicks"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "synthetic-clicks:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("synthetic-clicks", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("set", "train", "which set: train or eval")
	first := flags.Int("first", 0, "index of the first pair")
	n := flags.Int("n", -1, "how many pairs; -1: to the end of the set")
	out := flags.String("out", "", "folder to write to (required)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return fmt.Errorf("want -out DIR and no other arguments, have %q", flags.Args())
	}
	set, err := chooseSet(*name)
	if err != nil {
		return err
	}
	end := *first + *n
	if *n < 0 {
		end = set.Len()
	}
	if err := os.MkdirAll(*out, 0o777); err != nil {
		return err
	}
	return clicks.Export(*out, set, *first, end)
}

func chooseSet(name string) (*clicks.Set, error) {
	switch name {
	case "train":
		return clicks.Train(), nil
	case "eval":
		return clicks.Eval(), nil
	}
	return nil, fmt.Errorf("unknown set %q, want train or eval", name)
}
