// Command synthetic-questions writes a set of synthetic passages and questions as a file of SQuAD 1.1's layout.
//
//	synthetic-questions -set train -n 20000 -out train.json
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/plumbline-ml/plumbline/datasets/squad"
	"github.com/plumbline-ml/plumbline/datasets/synthetic/questions"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "synthetic-questions:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("synthetic-questions", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("set", "train", "which set: train, calibration or eval")
	n := flags.Int("n", -1, "how many passages; -1: all of the set")
	out := flags.String("out", "", "file to write (required)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return fmt.Errorf("want -out FILE and no other arguments, have %q", flags.Args())
	}
	set, err := setOf(*name)
	if err != nil {
		return err
	}
	if *n > set.Len() {
		return fmt.Errorf("-n %d: want at most the %d passages of the set", *n, set.Len())
	}
	if *n < 0 {
		*n = set.Len()
	}
	return write(*out, set.Paragraphs(0, *n))
}

func setOf(name string) (questions.Set, error) {
	switch name {
	case "train":
		return questions.Train(), nil
	case "calibration":
		return questions.Calibration(), nil
	case "eval":
		return questions.Eval(), nil
	}
	return questions.Set{}, fmt.Errorf("unknown set %q, want train, calibration or eval", name)
}

func write(path string, paragraphs []squad.Paragraph) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write the data set: %w", err)
	}
	w := bufio.NewWriter(f)
	return errors.Join(squad.Write(w, paragraphs), w.Flush(), f.Close())
}
