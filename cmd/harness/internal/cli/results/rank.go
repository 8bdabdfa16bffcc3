package results

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/page"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/standing"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
)

const rankHelp = `Rank a run among published results. The command shows its place, its neighbours, the spread of the
results, their changes from round to round, and how far the run is comparable.

  harness rank out inference_results_v5.1
  harness rank out inference_results_v5.1 inference_results_v6.0 --html rank.html
  harness rank out inference_results_* --per accelerator --accelerators 8
  harness rank inference_results_v6.0/closed/LAB inference_results_v5.1 --benchmark llama2-70b-99

MY is the --out folder of a run, LoadGen's logs, or a folder of a submission. RESULTS are copies of the repositories of
published results, or folders in them, of any rounds; the seeds of the logs identify the round. The results are those
that harness submission results prints. Your own run is marked, since it is not an MLPerf result. An INVALID run gets
no place.`

// rankFlags contains the flags of rank.
type rankFlags struct {
	benchmark, rules            string
	scenarios                   []string
	division, availability, per string
	machine                     standing.StatedMachine
	html, csv                   string
	json, all                   bool
}

// RankCommand returns the command "harness rank".
func RankCommand(s *shell.App) *cobra.Command {
	a := &app{s}
	f := &rankFlags{}
	c := &cobra.Command{
		Use: "rank MY RESULTS...", Short: "Rank a run among published results", Long: rankHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return fmt.Errorf("%s: want the folder of a run and at least one of published results, found %d; see %s --help",
					shell.CommandName(c), len(args), c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.runRank(f, args[0], args[1:]) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.benchmark, "benchmark", "", "only this `BENCHMARK` of the rules, such as llama2-70b-99.9")
	flags.StringSliceVar(&f.scenarios, "scenario", nil, "only these `SCENARIO,...`")
	flags.StringVar(&f.division, "division", tree.DivisionClosed, "closed, network, open or all")
	flags.StringVar(&f.availability, "availability", allOfThem, "available, preview, rdi or all")
	flags.StringVar(&f.per, "per", "system", "rank by the result per accelerator, node or watt, or of the whole system")
	flags.IntVar(&f.machine.Accelerators, "accelerators", 0, "the run used `N` accelerators, if its files do not say so")
	flags.IntVar(&f.machine.Nodes, "nodes", 0, "the run used `N` nodes, if its files do not say so")
	flags.Float64Var(&f.machine.Watts, "watts", 0, "measured average power of the run's machine, `W` watts")
	flags.StringVar(&f.rules, "rules", "", "the `ROUND` of all RESULTS (default: that of their logs)")
	flags.BoolVar(&f.all, "all", false, "show every result, not only the best and the neighbours")
	flags.StringVar(&f.html, "html", "", "also write a page to `FILE`")
	flags.StringVar(&f.csv, "csv", "", "also write every result to `FILE` as CSV")
	flags.BoolVar(&f.json, "json", false, "print the rankings as JSON")
	return c
}

// allOfThem is the value of a flag that selects everything.
const allOfThem = "all"

// readOptions converts the flags to options.
func (f *rankFlags) readOptions() (o standing.Options, err error) {
	o.Per, err = standing.ParseDivisor(f.per)
	if err != nil {
		return o, err
	}
	for _, choice := range []struct {
		flag, value string
		known       []string
		to          *string
	}{
		{"division", f.division, tree.Divisions(), &o.Division},
		{"availability", f.availability, []string{"available", "preview", "rdi"}, &o.Availability},
	} {
		switch {
		case choice.value == allOfThem:
		case slices.Contains(choice.known, choice.value):
			*choice.to = choice.value
		default:
			return o, sdk.Usage(fmt.Errorf("--%s: %w", choice.flag, suggest.Unknown(choice.flag, choice.value,
				append(choice.known, allOfThem))))
		}
	}
	if f.machine.Accelerators < 0 || f.machine.Nodes < 0 || f.machine.Watts < 0 {
		return o, sdk.Usage(errors.New("--accelerators, --nodes and --watts: want numbers above 0"))
	}
	return o, nil
}

func (a *app) runRank(f *rankFlags, my string, trees []string) error {
	o, err := f.readOptions()
	scenarios, err2 := standing.ParseScenarios(f.scenarios)
	err = errors.Join(err, err2, checkEnding("html", f.html, ".html", ".htm"), checkEnding("csv", f.csv, ".csv"))
	if err != nil {
		return sdk.Usage(err)
	}
	own, faults, err := ownRuns(my, f.benchmark, scenarios)
	if err != nil {
		return err
	}
	for i := range own {
		own[i].ApplyMachine(f.machine)
	}
	published, err := readTrees(trees, f.rules, own)
	if err != nil {
		return err
	}
	rankings, err := standing.Rank(published, own, o)
	if err != nil {
		return err
	}
	return a.writeRankings(f, standing.NewReport(published, rankings, faults))
}

// ownRuns returns the runs to rank at a path.
func ownRuns(my, benchmark string, scenarios []string) (own []standing.OwnRun, faults []string, err error) {
	if standing.IsInTree(my) {
		w := standing.ReadFilter{Scenarios: scenarios}
		if benchmark != "" {
			w.Models = []string{benchmark}
		}
		return standing.OwnFromTree(my, w)
	}
	set, err := readRuns(my)
	if err != nil {
		return nil, nil, err
	}
	if own, faults, err = standing.OwnFromResults(my, set); err != nil {
		return nil, nil, err
	}
	own, err = standing.ChooseOwn(own, benchmark, scenarios)
	return own, faults, err
}

// readTrees reads the published results to compare with from each tree.
func readTrees(trees []string, round string, own []standing.OwnRun) (all []standing.Published, err error) {
	w := standing.ReadFilter{Round: round}
	for _, o := range own {
		if !slices.Contains(w.Models, o.Model) {
			w.Models = append(w.Models, o.Model)
		}
		if !slices.Contains(w.Scenarios, o.Scenario) {
			w.Scenarios = append(w.Scenarios, o.Scenario)
		}
	}
	for _, name := range trees {
		p, err := standing.ReadTree(name, w)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (a *app) writeRankings(f *rankFlags, r standing.RankingReport) error {
	for _, file := range []struct {
		path  string
		write func(io.Writer) error
	}{{f.html, r.WriteHTML}, {f.csv, r.WriteCSV}} {
		if file.path == "" {
			continue
		}
		if err := page.WriteFile(file.path, file.write); err != nil {
			return err
		}
	}
	if f.json {
		return r.WriteJSON(a.Data)
	}
	return r.WriteText(a.Stdout, f.all)
}
