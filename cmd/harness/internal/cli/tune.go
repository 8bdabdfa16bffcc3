package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/bench/exitcode"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

const tuneHelp = `Measure which batch size, number of sessions and threads are fastest in Offline, and with what setting and at what target_qps
Server is VALID at most. The answers go into a profile in the folder of settings. Later runs of the same model, data and backend by
the same plugin on the same machine use it, and say so; harness run --tuning none does not.

  harness tune resnet50                          the fastest setting, then the highest VALID rate of Server
  harness tune resnet50 --scenario Offline       the setting alone
  harness tune resnet50 --try-batch 1,8 --exhaustive

The first Ctrl-C ends the search: what was measured is shown, and what was found is kept.

Exit codes: 0 found, 3 no VALID rate of Server was found, 130 interrupted.`

// tuneFlags are the flags of tune.
type tuneFlags struct {
	*pluginFlags
	request                    bench.Request
	batches, sessions, threads []int
	time                       time.Duration
	file                       string
	exhaustive, json           bool
}

func (a *app) tuneCommand(f *pluginFlags) *cobra.Command {
	t := &tuneFlags{pluginFlags: f}
	c := &cobra.Command{
		Use: "tune MODEL", Short: "Find the fastest setting and the highest VALID Server rate", Long: tuneHelp,
		Args: oneArgument("a model's name (harness list shows them)"),
		RunE: func(c *cobra.Command, args []string) error {
			t.request.Model = args[0]
			return a.tune(c, t)
		},
	}
	t.add(c)
	return c
}

func (t *tuneFlags) add(c *cobra.Command) {
	flags, r := c.Flags(), &t.request
	flags.SortFlags = false
	flags.StringSliceVar(&r.Scenarios, "scenario", nil, "`S,...`: Offline, Server (default: those of the model's rules)")
	flags.IntSliceVar(&t.batches, "try-batch", []int{1, 2, 4, 8, 16, 32}, "batch `SIZES`")
	flags.IntSliceVar(&t.sessions, "try-sessions", nil, "`NUMBERS` of sessions (default: 1, 2, 4, ... up to the cores,\nor where the backend takes no threads up to four for each)")
	flags.IntSliceVar(&t.threads, "try-threads", nil, "`NUMBERS` of the backend's threads for each session\n(default: all cores shared by the sessions, and half of them)")
	flags.DurationVar(&t.time, "time", 2*time.Second, "`DURATION` of the longest tests of a setting")
	flags.BoolVar(&t.exhaustive, "exhaustive", false, "measure every setting that long, three times")
	flags.StringVar(&t.file, "tuning", "", "write the profile to this `FILE` (default: in the folder of settings)")
	flags.BoolVar(&t.json, "json", false, "print the profile as JSON instead of tables")
	flags.StringVar(&r.ModelFile, "model", "", "model file: `NAME` from describe, or a path (default: the embedded one)")
	flags.StringVar(&r.Precision, "precision", "", "`PRECISION` of the embedded model: fp32 or int8 (default fp32)")
	flags.StringVar(&r.Dataset, "dataset", "", "`PATH` of a data set in the official layout, a folder or a file as describe says (default: the plugin's own)")
	flags.StringVar(&r.Backend, "backend", "", "backend `NAME` (default: the plugin's first)")
	backendOptionFlags(flags, r)
	flags.StringSliceVar(&r.Devices, "device", nil, "run on these `DEVICES` of the backend, all of them at the same time")
	flags.StringArrayVar(&r.Params, "param", nil, "an option of the benchmark: `KEY=VALUE` (repeatable)")
	flags.StringVar(&r.Rules, "rules", "", "`ROUND` whose limits of latency apply (default: the newest)")
	flags.StringVar(&r.UserConf, "user-conf", "", "`FILE` with settings, as the official LoadGen reads it")
	flags.StringArrayVar(&r.Set, "set", nil, "a LoadGen setting: `KEY=VALUE` or Scenario.KEY=VALUE (repeatable)")
	flags.BoolVar(&r.Official, "official", false, "confirm the Server rate with the rules' durations and counts (default with --model)")
	flags.BoolVar(&r.Smoke, "smoke", false, "confirm it with the model's settings for a run of seconds (default without --model)")
}

// check wants numbers above 0.
func (t *tuneFlags) check() error {
	var faults []error
	for _, l := range []struct {
		flag  string
		list  []int
		empty bool // may be
	}{{"--try-batch", t.batches, false}, {"--try-sessions", t.sessions, true}, {"--try-threads", t.threads, true}} {
		if len(l.list) == 0 && !l.empty || slices.ContainsFunc(l.list, func(n int) bool { return n < 1 }) {
			faults = append(faults, fmt.Errorf("%s %v: want numbers above 0", l.flag, l.list))
		}
	}
	if t.file == noTuning {
		faults = append(faults, fmt.Errorf("--tuning %s: want the file to write the profile to; %[1]s is for harness run", t.file))
	}
	if t.time <= 0 {
		faults = append(faults, fmt.Errorf("--time %v: want a duration above 0", t.time))
	}
	for _, o := range t.request.BackendOptions {
		if key, _, _ := strings.Cut(o, "="); key == tune.ThreadsOption {
			faults = append(faults, fmt.Errorf("--backend-opt %s: it is searched; give --try-threads", o))
		}
	}
	return errors.Join(faults...)
}

func (a *app) tune(c *cobra.Command, f *tuneFlags) error {
	if err := f.check(); err != nil {
		return exitcode.With(exitcode.Usage, err)
	}
	f.request.Mode = bench.ModePerformance
	p, err := a.build(c, f.pluginFlags, f.request)
	if err != nil {
		return err
	}
	p.Runs = slices.DeleteFunc(p.Runs, func(r bench.PlannedRun) bool { return r.Scenario != loadgen.Offline && r.Scenario != loadgen.Server })
	if len(p.Runs) == 0 {
		return exitcode.With(exitcode.Usage, fmt.Errorf("%s: tune measures Offline and Server, and neither is among its scenarios or those asked for", p.Served.Model.Name))
	}
	t, err := a.newTuning(p, f)
	if err != nil {
		return err
	}
	defer t.bench.Close()
	a.onKill(t.bench.Kill)
	a.orderly(true)
	return t.finish(t.search(c.Context()))
}

// search measures what the plan asks for. What is found before an error is in the profile.
func (t *tuning) search(ctx context.Context) error {
	if err := t.open(ctx); err != nil {
		return fmt.Errorf("opening %s: %w", t.plan.Served.Model.Name, bench.OpenError(err))
	}
	if t.run(loadgen.Offline) != nil {
		if err := t.offline(ctx); err != nil {
			return err
		}
	}
	if r := t.run(loadgen.Server); r != nil {
		return t.server(ctx, r)
	}
	return nil
}

// open sees whether the workload can be opened at all; if the data set is smaller than the part to measure with, all of
// it is used.
func (t *tuning) open(ctx context.Context) error {
	_, err := t.bench.Opens(ctx, tune.Setting{}, loadgen.Offline)
	if t.bench.OfflineCount > 0 && err != nil && ctx.Err() == nil {
		t.bench.OfflineCount = 0
		_, err = t.bench.Opens(ctx, tune.Setting{}, loadgen.Offline)
	}
	return err
}

// run is the plan's run of a scenario, or nil.
func (t *tuning) run(s loadgen.Scenario) *bench.PlannedRun {
	for i := range t.plan.Runs {
		if t.plan.Runs[i].Scenario == s {
			return &t.plan.Runs[i]
		}
	}
	return nil
}
