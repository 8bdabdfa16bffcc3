// Package also writes what was measured of a server in the files of other tools, by those tools' definitions: their
// readers take them for their own.
//
// In: the records of a point and what was asked; the other way, what their configurations ask for. Out: the definitions
// of this project (bench/serving/measure), and measuring.
package also

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"

	"github.com/plumbline-ml/plumbline/bench/serving/load"
	"github.com/plumbline-ml/plumbline/bench/serving/measure"
	"github.com/plumbline-ml/plumbline/bench/serving/prompts"
)

// Run is a measured point: its records, and what was asked.
type Run struct {
	// Requests are the records, warm-up too, in the order of their Index.
	Requests []measure.Request
	// Rules tell whether answers have tokens, and the limits of each request.
	Rules measure.Rules
	Load  load.Pattern
	// WarmUp is how many requests of warm-up were asked for; Grace how long answers under way at the end were awaited.
	WarmUp int
	Grace  time.Duration

	API       prompts.API
	Stream    bool
	MaxTokens int // the most tokens of an answer that were asked for; 0: the server's own limit
	// Fields are fields of every request's body, such as temperature and seed, as JSON.
	Fields map[string]string

	Model     string
	Tokenizer string   // empty: none was needed
	Servers   []string // their addresses
	Secret    bool     // a key was sent
	Kind      string   // of server: vllm, sglang; empty: unknown
	Insecure  bool     // the server's certificate was not looked at
	Label     string
	Version   string // of the program that measured
	Commit    string // of its sources; empty: unknown

	Data Data
	// Agentic is of a replay of recorded conversations; nil: it is none.
	Agentic *Agentic
	// Driven is of a run that LoadGen drove; nil: it did not.
	Driven *Driven

	// Began is the wall clock's time at time 0 of the records.
	Began       time.Time
	Interrupted bool
}

// Data names the prompts.
type Data struct {
	Name string
	Path string // empty: they were made
	// Columns are those that were named, FIELD=NAME.
	Columns []string
}

// layout is one that can be written beside our own.
type layout struct {
	write func(dir string, r Run) error
	// words says why a load, or an API, cannot be written; nil: all can.
	words func(p load.Pattern, api prompts.API) error
}

// layouts are those that there are, by their names for --also.
var layouts = map[string]layout{
	"vllm":      {write: writeVLLM},
	"endpoints": {write: writeEndpoints, words: endpointsWords},
}

// Names lists the layouts.
func Names() []string { return slices.Sorted(maps.Keys(layouts)) }

// Check says which of the names are no layout, and which layouts have no words for any of the points' loads or for the
// API, before anything is asked.
func Check(names []string, points []load.Pattern, api prompts.API) error {
	var faults []error
	for _, name := range names {
		l, known := layouts[name]
		if !known {
			faults = append(faults, fmt.Errorf("--also: %w", suggest.Unknown("layout", name, Names())))
			continue
		}
		var wrong error
		for _, p := range points {
			if l.words != nil {
				wrong = cmp.Or(wrong, l.words(p, api))
			}
		}
		if wrong == nil && len(points) == 0 && l.words != nil {
			wrong = l.words(load.Pattern{Kind: load.Maximum}, api)
		}
		if wrong != nil {
			faults = append(faults, fmt.Errorf("--also %s: %w", name, wrong))
		}
	}
	return errors.Join(faults...)
}

// Write writes the named layouts of a point into its folder. One that has no words for the point is not written, and a
// note says so.
func Write(dir string, names []string, r Run) (notes []string, err error) {
	for _, name := range names {
		err := layouts[name].write(dir, r)
		if errors.Is(err, errNoWords) {
			notes = append(notes, fmt.Sprintf("--also %s: %v", name, err))
		} else if err != nil {
			return notes, fmt.Errorf("--also %s: %w", name, err)
		}
	}
	return notes, nil
}

func writeVLLM(dir string, r Run) error {
	text, err := VLLM(r)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "vllm.json"), text, 0o666)
}
