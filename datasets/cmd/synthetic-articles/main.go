// Command synthetic-articles writes synthetic articles and their summaries as JSON lines of "input" and "output", the
// fields that the official summarisation sets have.
//
//	synthetic-articles -set train -n 1000 -out FILE
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/plumbline-ml/plumbline/datasets/synthetic/articles"
)

func main() {
	if err := run(os.Args[1:], os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "synthetic-articles:", err)
		os.Exit(1)
	}
}

func run(args []string, stderr io.Writer) error {
	flags := flag.NewFlagSet("synthetic-articles", flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("set", "train", "which set: train, calibration or eval")
	first := flags.Int("first", 0, "index of the first article")
	n := flags.Int("n", -1, "how many articles; -1: to the end of the set")
	out := flags.String("out", "", "file to write (required)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *out == "" || flags.NArg() > 0 {
		return fmt.Errorf("want -out FILE and no other arguments, have %q", flags.Args())
	}
	set, err := find(*name)
	if err != nil {
		return err
	}
	end := *first + *n
	if *n < 0 {
		end = set.Len()
	}
	if *first < 0 || *first > end || end > set.Len() {
		return fmt.Errorf("articles %d to %d of %d: want 0 <= first <= end <= %d", *first, end, set.Len(), set.Len())
	}
	return write(*out, set, *first, end)
}

func find(name string) (articles.Set, error) {
	switch name {
	case "train":
		return articles.Train(), nil
	case "calibration":
		return articles.Calibration(), nil
	case "eval":
		return articles.Eval(), nil
	}
	return articles.Set{}, fmt.Errorf("unknown set %q, want train, calibration or eval", name)
}

// record is one line.
type record struct {
	Input  string `json:"input"`
	Output string `json:"output"`
}

func write(path string, set articles.Set, first, end int) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write articles: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriter(f)
	lines := json.NewEncoder(w)
	for i := first; i < end; i++ {
		a := set.At(i)
		if err := lines.Encode(record{a.Text, a.Summary}); err != nil {
			return fmt.Errorf("write articles: %w", err)
		}
	}
	return w.Flush()
}
