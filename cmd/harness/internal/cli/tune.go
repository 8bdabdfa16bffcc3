package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/loadgen"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/checksum"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/configdir"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/exitcode"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/figure"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plan"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/system"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/tune"
)

const tuneHelp = `Measure which batch size and how many sessions (and threads, with --try-threads) are fastest, in short Offline tests, and write
the best into a file that runs use with --tuning.

  harness tune resnet50
  harness run resnet50 --tuning FILE                     the flags --batch, --sessions and --threads count more
  harness run resnet50 --tuning FILE --mode findpeak     the highest VALID rate of Server, with it`

// tuneFlags are the flags of tune.
type tuneFlags struct {
	*pluginFlags
	request                    plan.Request
	batches, sessions, threads []int
	time                       time.Duration
	file                       string
}

func (a *app) tuneCommand(f *pluginFlags) *cobra.Command {
	t := &tuneFlags{pluginFlags: f}
	c := &cobra.Command{
		Use: "tune MODEL", Short: "Find the fastest batch size and number of sessions", Long: tuneHelp,
		Args: oneArgument("a model's name (harness list shows them)"),
		RunE: func(c *cobra.Command, args []string) error {
			t.request.Model = args[0]
			return a.tune(c, t)
		},
	}
	flags, r := c.Flags(), &t.request
	flags.IntSliceVar(&t.batches, "try-batch", []int{1, 2, 4, 8, 16, 32}, "batch `SIZES`")
	flags.IntSliceVar(&t.sessions, "try-sessions", sessionCounts(runtime.NumCPU()), "`NUMBERS` of sessions")
	flags.IntSliceVar(&t.threads, "try-threads", nil, "`NUMBERS` of the backend's threads for each session (default: the backend's choice)")
	flags.DurationVar(&t.time, "time", 2*time.Second, "least `DURATION` of a test")
	flags.StringVar(&t.file, "tuning", "", "write the best to this `FILE` (default: in the folder of settings)")
	flags.StringVar(&r.ModelFile, "model", "", "model file: `NAME` from describe, or a path (default: the embedded one)")
	flags.StringVar(&r.Precision, "precision", "", "`PRECISION` of the embedded model: fp32 or int8 (default fp32)")
	flags.StringVar(&r.Dataset, "dataset", "", "`DIR` of a data set in the official layout (default: the plugin's own)")
	flags.StringVar(&r.Backend, "backend", "", "backend `NAME` (default: the plugin's first)")
	flags.StringArrayVar(&r.BackendOptions, "backend-opt", nil, "an option of the backend: `KEY=VALUE` (repeatable)")
	flags.StringArrayVar(&r.Params, "param", nil, "an option of the benchmark: `KEY=VALUE` (repeatable)")
	return c
}

// sessionCounts are 1, half the processors and all of them.
func sessionCounts(processors int) []int {
	counts := []int{1, max(1, processors/2), processors}
	return slices.Compact(counts)
}

func (a *app) tune(c *cobra.Command, f *tuneFlags) error {
	if err := f.check(); err != nil {
		return exitcode.With(exitcode.Usage, err)
	}
	p, err := a.build(c, f.pluginFlags, f.request)
	if err != nil {
		return err
	}
	if !slices.Contains(p.Served.Model.Scenarios, loadgen.Offline) {
		return exitcode.With(exitcode.Usage, fmt.Errorf("%s has no Offline scenario, which is what is measured", p.Served.Model.Name))
	}
	p.Options.Count = few(p)
	fmt.Fprintf(a.Stdout, "%8s %9s %8s  %s\n", "BATCH", "SESSIONS", "THREADS", "SAMPLES/S")
	s := tune.Search{
		Launcher: a.Plugins, Launch: f.launch, Binary: p.Served.Path, Options: p.Options, Time: f.time,
		Report: func(t tune.Point) { fmt.Fprintf(a.Stdout, "%s\n", pointText(t)) },
	}
	points, err := s.Run(c.Context(), tune.Grid(f.batches, f.sessions, f.threads))
	if err != nil {
		return err
	}
	return a.saveTuning(f, p, points)
}

// tuneSamples are enough to measure with: each test loads them anew.
const tuneSamples = 64

// few is how many samples of the data set are used, 0 for all of one that may be smaller.
func few(p *plan.Plan) int {
	for _, d := range p.Served.Model.Datasets {
		if p.Options.Dataset != "" || d.Embedded && d.Samples > tuneSamples {
			return tuneSamples
		}
	}
	return 0
}

// check wants numbers above 0.
func (f *tuneFlags) check() error {
	var faults []error
	for _, l := range []struct {
		flag string
		list []int
	}{{"--try-batch", f.batches}, {"--try-sessions", f.sessions}, {"--try-threads", f.threads}} {
		if len(l.list) == 0 && l.flag != "--try-threads" || slices.ContainsFunc(l.list, func(n int) bool { return n < 1 }) {
			faults = append(faults, fmt.Errorf("%s %v: want numbers above 0", l.flag, l.list))
		}
	}
	if f.time <= 0 {
		faults = append(faults, fmt.Errorf("--time %v: want a duration above 0", f.time))
	}
	return errors.Join(faults...)
}

func pointText(p tune.Point) string {
	threads := "-"
	if p.Threads > 0 {
		threads = fmt.Sprint(p.Threads)
	}
	return fmt.Sprintf("%8d %9d %8s  %s", p.Batch, p.Sessions, threads, figure.Round(p.SamplesPerSecond))
}

// saveTuning writes the best point and says how to use it.
func (a *app) saveTuning(f *tuneFlags, p *plan.Plan, points []tune.Point) error {
	path := f.file
	if path == "" {
		dir, err := configdir.Dir(a.Env)
		if err != nil {
			return err
		}
		path = filepath.Join(dir, "tuning", p.Served.Model.Name+".json")
	}
	sum, _, err := checksum.File(p.Served.Path)
	if err != nil {
		return exitcode.With(exitcode.Plugin, err)
	}
	backend := p.Options.Backend
	if backend == "" && len(p.Served.Description.Backends) > 0 {
		backend = p.Served.Description.Backends[0]
	}
	result := tune.File{
		Model: p.Served.Model.Name, Backend: backend, Precision: p.Options.Precision, PluginSHA256: sum,
		Machine: system.Describe(a.Root).CPU, Best: points[0].Setting, Points: points,
	}
	if err := result.Save(path); err != nil {
		return exitcode.With(exitcode.Usage, err)
	}
	_, err = fmt.Fprintf(a.Stdout, "\nbest\n%s\n\nwritten to %s\n  harness run %s --tuning %s\n", pointText(points[0]), path, result.Model, path)
	return err
}

// tuned fills in what a file of settings has and the flags have not. It returns the model that the file is for.
func tuned(r *plan.Request, path string) (model string, err error) {
	f, err := tune.Load(path)
	if err != nil {
		return "", exitcode.With(exitcode.Usage, fmt.Errorf("--tuning: %w", err))
	}
	if r.Backend != "" && f.Backend != r.Backend {
		return "", exitcode.With(exitcode.Usage, fmt.Errorf("--tuning %s: it is for the backend %s, not %s; harness tune --backend %s makes one", path, f.Backend, r.Backend, r.Backend))
	}
	r.Backend = f.Backend
	for _, n := range []struct {
		flag *int
		best int
	}{{&r.Batch, f.Best.Batch}, {&r.Sessions, f.Best.Sessions}, {&r.Threads, f.Best.Threads}} {
		if *n.flag == 0 {
			*n.flag = n.best
		}
	}
	return f.Model, nil
}

// buildTuned is build, with the file of --tuning, if one was given.
func (a *app) buildTuned(c *cobra.Command, r *runFlags) (*plan.Plan, error) {
	if r.tuning == "" {
		return a.build(c, r.pluginFlags, r.Request)
	}
	model, err := tuned(&r.Request, r.tuning)
	if err != nil {
		return nil, err
	}
	p, err := a.build(c, r.pluginFlags, r.Request)
	if err == nil && p.Served.Model.Name != model {
		err = exitcode.With(exitcode.Usage, fmt.Errorf("--tuning %s: it is for %s, not %s; harness tune %s makes one", r.tuning, model, p.Served.Model.Name, p.Served.Model.Name))
	}
	return p, err
}
