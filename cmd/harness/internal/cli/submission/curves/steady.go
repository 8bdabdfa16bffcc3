package curves

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/internal/record/requests"
	"github.com/plumbline-ml/plumbline/internal/serving/chat"
	"github.com/plumbline-ml/plumbline/internal/serving/client"
	formats "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/internal/serving/steady"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving/metrics"
)

const steadyHelp = `Find the steady window of a run in the events.jsonl of the official client of MLPerf Endpoints, and
print the entries of point.yaml.

  harness submission steady events.jsonl --samples 6396 --tokenizer tokenizer.json --users 64
  harness submission steady events.jsonl --tokenizer FOLDER --users 64 --json

A requests.jsonl of harness bench, or of a trial of harness submission run, works too:

  harness submission steady bench-1/users-64/requests.jsonl --samples 6396 --users 64

A super-pass has as many requests as the performance set has samples: --samples, or dataset_size of run_meta.json in
the same folder. The minimum length of the window follows from --users, the point's concurrency. docs/endpoints.md
explains how the window is found.`

// steadyFlags contains the flags of submission steady.
type steadyFlags struct {
	samples, users int
	seconds        float64
	tokenizer      string
	json           bool
}

// SteadyCommand returns harness submission steady.
func SteadyCommand(s *shell.App) *cobra.Command {
	a := &app{s}
	f := &steadyFlags{}
	c := &cobra.Command{
		Use: "steady EVENTS", Short: "Find the steady window of a run of MLPerf Endpoints", Long: steadyHelp,
		Args: shell.RequireOneArgument("the client's events.jsonl, or our own requests.jsonl"),
		RunE: func(c *cobra.Command, args []string) error {
			if c.Flags().Changed("users") == c.Flags().Changed("min-seconds") {
				return sdk.Usage(errors.New("want --users, the point's concurrency, or --min-seconds"))
			}
			return a.findSteady(args[0], f)
		},
	}
	flags := c.Flags()
	flags.IntVar(&f.samples, "samples", 0, "number of samples of the performance set, `N`")
	flags.IntVar(&f.users, "users", 0, "the point's concurrency, `N`")
	flags.Float64Var(&f.seconds, "min-seconds", 0, "minimum length of the window, instead of the one for --users")
	flags.StringVar(&f.tokenizer, "tokenizer", "", "the model's tokenizer, `FILE` or folder")
	flags.BoolVar(&f.json, "json", false, "print all findings as JSON")
	return c
}

// checkFlags rejects settings that do not define a window.
func (f *steadyFlags) checkFlags(events string) error {
	switch {
	case f.tokenizer == "" && !isRequests(events):
		return errors.New("want --tokenizer, the model's: tokens are counted by it")
	case f.users < 0 || f.seconds < 0 || f.samples < 0:
		return errors.New("want --samples, --users and --min-seconds above 0")
	case f.samples > 0:
		return nil
	}
	var meta struct {
		Size int `json:"dataset_size"`
	}
	file := filepath.Join(filepath.Dir(events), "run_meta.json")
	text, err := bounded.ReadFile(file, 1<<20)
	if err == nil {
		err = json.Unmarshal(text, &meta)
	}
	if err != nil || meta.Size < 1 {
		return fmt.Errorf("want --samples, the samples of the performance set: %s does not say dataset_size", file)
	}
	f.samples = meta.Size
	return nil
}

// minSeconds returns the minimum length of the window in seconds.
func (f *steadyFlags) minSeconds() float64 {
	if f.users == 0 {
		return f.seconds
	}
	return float64(endpoints.NewestRules().MinWindowSeconds(f.users, false))
}

func (a *app) findSteady(events string, f *steadyFlags) error {
	if err := f.checkFlags(events); err != nil {
		return sdk.Usage(err)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(eventsMemory))
	found, messages, err := f.readEvents(events)
	if err != nil {
		return sdk.Usage(fmt.Errorf("%s: %w", events, err))
	}
	for _, doubt := range []string{messages.CountWarning(found.Messages), found.ClockDoubt()} {
		if doubt != "" {
			fmt.Fprintln(a.Stderr, doubt)
		}
	}
	report := steady.Detect(found.Passes, steady.Options{})
	block := report.Block(found.Samples, f.samples, f.minSeconds())
	if f.json {
		return shell.WriteUnescapedJSON(a.Data, map[string]any{"steady_state": block, "report": report})
	}
	text, err := yaml.Marshal(map[string]any{"steady_state": block})
	if err != nil {
		return err
	}
	fmt.Fprint(a.Stdout, string(text))
	a.noteSteady(found, report)
	return nil
}

// isRequests reports whether a file contains our own client's records.
func isRequests(file string) bool { return filepath.Base(file) == requests.JSONLName }

// eventsMemory is the heap size in bytes above which garbage is collected more often. Logs have many GB, but only a few
// floats per request are kept.
const eventsMemory = 200 << 20

// readEvents reads the official client's events, or our own client's records with the server's token counts.
func (f *steadyFlags) readEvents(path string) (steady.Events, *chat.Counter, error) {
	file, err := os.Open(path)
	if err != nil {
		return steady.Events{}, nil, err
	}
	defer file.Close()
	if isRequests(path) {
		all, err := requests.Read(file)
		if err != nil {
			return steady.Events{}, nil, err
		}
		passes := formats.NewPassGatherer(f.samples, metrics.FigureRules{Tokenizer: true})
		for i := range all {
			passes.Add(&all[i])
		}
		if passes.Len() == 0 {
			return steady.Events{}, nil, errors.New("it has no request that counts")
		}
		return steady.Events{Passes: passes.Passes(), Samples: passes.Len()}, nil, nil
	}
	tokens, err := client.OpenTokenizer(f.tokenizer)
	if err != nil {
		return steady.Events{}, nil, err
	}
	messages, err := chat.OpenForTokenizer(f.tokenizer, tokens.EncodePlain)
	if err != nil {
		return steady.Events{}, nil, err
	}
	var ids []int32
	events, err := steady.ReadEvents(file, f.samples, func(text string) int {
		ids = tokens.EncodePlain(ids[:0], text)
		return len(ids)
	}, messages.PartsCounter())
	return events, messages, err
}

// noteSteady prints notes on what the block does not contain.
func (a *app) noteSteady(found steady.Events, r steady.Report) {
	if found.Skipped > 0 {
		fmt.Fprintf(a.Stderr, "%d lines are not events and do not count\n", found.Skipped)
	}
	if r.Reason != "" {
		fmt.Fprintln(a.Stderr, r.Reason)
	}
	if passes := r.Warmup + r.Passes; 4*r.Warmup > passes {
		fmt.Fprintf(a.Stderr, "%d of %d super-passes are cropped as ramp: look whether a step lies there\n", r.Warmup, passes)
	}
}
