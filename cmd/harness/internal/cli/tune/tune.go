// Package tune implements harness tune, the search for the fastest setting, and its report.
package tune

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
)

// app is one execution of a command in this package.
type app struct{ *shell.App }

const tuneHelp = `Find the fastest batch size, sessions and threads for Offline, and the setting and highest target_qps
with which Server is still VALID. The command writes them to a profile in the settings folder. Later runs of the same
model, data, backend and plugin on the same machine use the profile and say so; harness run --tuning none ignores it.

  harness tune resnet50                          the fastest setting, then the highest VALID rate of Server
  harness tune resnet50 --scenario Offline       only the setting
  harness tune resnet50 --try-batch 1,8 --exhaustive

The first Ctrl-C ends the search, shows the measurements and keeps the results so far.

Exit codes: 0 found, 3 no VALID Server rate was found, 130 interrupted.`

// tuneFlags contains the flags of tune.
type tuneFlags struct {
	*shell.PluginFlags
	bench.TuneRequest
	json bool
}

// Command returns the command "harness tune".
func Command(s *shell.App, f *shell.PluginFlags) *cobra.Command {
	a := &app{s}
	t := &tuneFlags{PluginFlags: f}
	c := &cobra.Command{
		Use: "tune MODEL", Short: "Find the fastest setting and the highest VALID Server rate", Long: tuneHelp,
		Args: shell.RequireOneArgument("a model's name (harness list shows them)"),
		RunE: func(c *cobra.Command, args []string) error {
			t.Model.Name = args[0]
			return a.runTune(c, t)
		},
	}
	t.addFlags(c)
	return c
}

func (t *tuneFlags) addFlags(c *cobra.Command) {
	flags, r := c.Flags(), &t.TuneRequest
	flags.SortFlags = false
	flags.StringSliceVar(&r.Load.Scenarios, "scenario", nil,
		"`S,...`: Offline, Server (default: those of the model's rules)")
	flags.IntSliceVar(&r.Batches, "try-batch", []int{1, 2, 4, 8, 16, 32}, "batch `SIZES`")
	flags.IntSliceVar(&r.Sessions, "try-sessions", nil,
		"`NUMBERS` of sessions (default: 1, 2, 4, ... up to the number of cores,\nor four times as many if the backend "+
			"has no option threads)")
	flags.IntSliceVar(&r.Threads, "try-threads", nil,
		"`NUMBERS` of the backend's threads for each session\n(default: all cores shared by the sessions, and half of them)")
	flags.IntSliceVar(&r.Requests, "try-requests", nil,
		"`NUMBERS` of requests in flight, if the model is at a server\n(default: 1, 2, 4, ... 256)")
	flags.DurationVar(&r.Time, "time", 2*time.Second, "maximum `DURATION` of a setting's tests")
	flags.BoolVar(&r.Exhaustive, "exhaustive", false, "measure every setting for --time, three times")
	flags.StringVar(&r.Model.Tuning, "tuning", "", "write the profile to this `FILE` (default: in the folder of settings)")
	flags.BoolVar(&t.json, "json", false, "print the profile as JSON instead of tables")
	shell.AddFlags(flags, &r.Request, "model", "precision", "dataset", "backend", "backend-opt", "backend-secret",
		"device",
		"param", "rules", "user-conf", "set", "official", "smoke")
	for name, usage := range map[string]string{
		"device":   "run on all these `DEVICES` of the backend together",
		"rules":    "`ROUND` of the latency limits (default: the newest)",
		"official": "confirm the Server rate with the rules' durations and counts (default with --model)",
		"smoke":    "confirm the Server rate with the model's settings for a run of a few seconds (default without --model)",
	} {
		flags.Lookup(name).Usage = usage
	}
}

func (a *app) runTune(c *cobra.Command, f *tuneFlags) (err error) {
	if f.Request, err = a.CompleteRequest(c.Context(), f.PluginFlags, f.Request); err != nil {
		return err
	}
	if _, err := a.Profiles(); err != nil && f.Model.Tuning == "" {
		return err
	}
	status := a.NewStatusLine()
	f.Testing = func(what string) {
		if what == "" {
			status.Clear()
			return
		}
		status.Set("tuning " + what)
	}
	t, err := bench.NewTuner(c.Context(), f.TuneRequest)
	if err != nil {
		return err
	}
	a.SetKill(t.Kill)
	a.SetOrderly(true)
	found, err := t.Search(c.Context())
	return a.reportTuned(tuneReport{found, f}, err)
}
