package results

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/sdk"
)

const scoreHelp = `Compute the official metric of an accuracy log, from this harness or the official LoadGen, and write
accuracy.txt to its folder. The command loads no models except those of the scorer (--scorer-model).

  harness score out/resnet50/Offline/accuracy
  harness score mlperf_log_accuracy.json --benchmark resnet50 --dataset imagenet

The result.json next to the log names the model and the data set. For logs in a submission, the folder
SYSTEM/BENCHMARK/SCENARIO/accuracy gives the model. Use flags for the data set and other missing facts.`

// ScoreCommand returns the command "harness score".
func ScoreCommand(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	r := bench.ScoreRequest{Done: a.writeScore, Running: a.SetKill}
	var of bench.Request
	c := &cobra.Command{
		Use: "score DIR|FILE", Short: "Compute the official metric of an accuracy log", Long: scoreHelp,
		Args: shell.RequireOneArgument("the directory of a run, or an accuracy log"),
		RunE: func(c *cobra.Command, args []string) error {
			r.Plugins, r.Path, r.Files = a.PluginSettings(f), args[0], a.FetchedFiles(c.Context())
			r.Scoring, r.Params, r.Targets, r.Expect = a.ShowScoring(), of.Model.Params, of.Data.Targets, of.Data.Expect
			r.ScorerModels = of.Data.ScorerModels
			return a.runScore(c, r)
		},
	}
	flags := c.Flags()
	flags.StringVar(&r.Model, "benchmark", "",
		"`MODEL` of the log (default: that of result.json, or of the\nsubmission's folder)")
	flags.StringVar(&r.Dataset, "dataset", "",
		"`PATH` of the data set that ran, a folder or a file (default: that of result.json, or the plugin's own)")
	flags.StringVar(&r.DType, "dtype", "",
		"element type of the log's payloads, such as float32: short for --param dtype=`TYPE`")
	flags.IntVar(&r.Count, "count", 0, "the run used only the first `N` samples of the data set")
	flags.StringVar(&r.Rules, "rules", "",
		"`ROUND` whose rules define the answers to submit (default: that of result.json, or the newest)")
	shell.AddFlags(flags, &of, "param", "scorer-model", "target", "expect")
	return c
}

func (a *app) runScore(c *cobra.Command, r bench.ScoreRequest) error {
	all, err := bench.Score(c.Context(), r)
	if err != nil {
		return err
	}
	for _, s := range all {
		if !s.Verdict.OK() {
			return &exitcode.Outcome{Code: exitcode.Accuracy}
		}
	}
	return nil
}

// writeScore prints a score and writes it to the log's folder. It ignores a read-only folder, because the score is on
// the screen. A full disk is reported as an error at the end.
func (a *app) writeScore(s bench.Scored) {
	fmt.Fprintf(a.Stdout, "%s  %s\n%s", s.Model, s.Log, s.OfficialText)
	record.WriteVerdict(a.Stdout, s.Verdict, s.Score.Notes)
	if s.Unwritten != nil && !sdk.OutOfSpace(s.Unwritten) {
		fmt.Fprintln(a.Stderr, s.Unwritten)
	}
	if err := s.Unformed; err != nil {
		fmt.Fprintf(a.Stderr, "the files of the endpoints harness keep the earlier score: %v\n", err)
	}
}
