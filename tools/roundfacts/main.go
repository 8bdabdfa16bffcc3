// Command roundfacts counts the settings of the runs in a round's published results, so that the rounds' tables can be
// compared with actual runs.
//
//	go run ./roundfacts -round v0.7 REPOSITORY > v0.7.json
//
// REPOSITORY is a git directory of the round's results. It writes counts of values in the closed division's runs, by
// model and scenario, without names of systems or submitters.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

func main() {
	round := flag.String("round", "", "the name of the round, such as v0.7")
	flag.Parse()
	if *round == "" || flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: roundfacts -round vN.N REPOSITORY")
		os.Exit(2)
	}
	facts, err := collectFacts(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "roundfacts:", err)
		os.Exit(1)
	}
	facts.Round = *round
	if err := writeFacts(os.Stdout, facts); err != nil {
		fmt.Fprintln(os.Stderr, "roundfacts:", err)
		os.Exit(1)
	}
}

// writeFacts writes the facts with a line for each record, so that differences are easy to see.
func writeFacts(out io.Writer, f *Facts) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "{\n\"round\": %q", f.Round)
	err := errors.Join(writeList(w, "runs", f.Runs), writeList(w, "audits", f.Audits), writeList(w, "accuracies",
		f.Accuracies))
	fmt.Fprintln(w, "\n}")
	return errors.Join(err, w.Flush())
}

// writeList writes a named list of records. A record is a key with its counts.
func writeList[T any](w io.Writer, name string, of map[factKey]T) error {
	fmt.Fprintf(w, ",\n%q: [", name)
	for i, k := range slices.SortedFunc(maps.Keys(of), factKey.compare) {
		about, err := json.Marshal(k)
		counted, err2 := json.Marshal(of[k])
		if err = errors.Join(err, err2); err != nil {
			return err
		}
		separator := ","
		if i == 0 {
			separator = ""
		}
		fmt.Fprintf(w, "%s\n%s,%s", separator, about[:len(about)-1], counted[1:])
	}
	fmt.Fprint(w, "\n]")
	return nil
}
