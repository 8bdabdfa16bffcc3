package shell

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plumbline-ml/plumbline/fetch"
	"github.com/plumbline-ml/plumbline/internal/secret"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/live"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/onnxruntime"
)

// The flags with options of the backend.
const (
	backendOpt    = "--backend-opt"
	backendSecret = "--backend-secret"
)

// SettingFlags adds the flags that decide about LoadGen's settings.
func SettingFlags(f *pflag.FlagSet, r *bench.Request) {
	f.StringSliceVar(&r.Load.Scenarios, "scenario", nil,
		"`S,...` or all: SingleStream, MultiStream, Server, Offline (default: all of the model's rules)")
	f.StringVar(&r.Rules.Round, "rules", "", "`ROUND` whose rules apply: "+strings.Join(mlconf.Rounds(), ", ")+
		"\n(default: the newest)")
	f.StringVar(&r.Rules.UserConf, "user-conf", "", "`FILE` with settings, as the official LoadGen reads it")
	f.StringVar(&r.Rules.Audit, "audit", "", "audit settings: an audit.config `FILE`, applied over all others")
	f.BoolVar(&r.Rules.IgnoreUnknownKeys, "ignore-unknown-keys", false,
		"only note keys of those two files that LoadGen does not know")
	f.StringArrayVar(&r.Rules.Set, "set", nil, "a LoadGen setting: `KEY=VALUE` or Scenario.KEY=VALUE (repeatable)")
	f.BoolVar(&r.Rules.Official, "official", false, "the rules' durations and counts (default with --model)")
	f.BoolVar(&r.Rules.Smoke, "smoke", false,
		"the model's settings for a run of seconds (default without --model,\nand for a first look at one of your own)")
	f.StringArrayVar(&r.Model.Files, "model", nil,
		"model file: `NAME` from describe, fetched or in this folder,\nor the path of a file or of a folder; of a model of "+
			"several parts the\nfolder of all, or PART=PATH for each (default: the embedded one)")
}

// WorkloadFlags adds the flags that decide what the plugin opens.
func WorkloadFlags(f *pflag.FlagSet, r *bench.Request) {
	f.StringVar(&r.Load.Mode, "mode", "",
		"`MODE`: performance, accuracy, submission: both for each scenario,\nor findpeak: search for the highest "+
			"target_qps of Server, or with\n--rules v0.5 to v1.1 for the most samples_per_query of MultiStream\n"+
			"(default: performance of each scenario, then accuracy once)")
	f.StringVar(&r.Model.Backend, "backend", "", "backend `NAME` (default: the plugin's first)")
	f.StringSliceVar(&r.Model.Devices, "device", nil,
		"run on these `DEVICES` of the backend, all of them at the same time:\ncpu:0-7,cpu:8-15 or cuda:0,cuda:1 (harness "+
			"describe MODEL lists them)")
	f.StringArrayVar(&r.Model.BackendOptions, backendOpt[len("--"):], nil,
		"an option of the backend: `KEY=VALUE`, or PART.KEY=VALUE for one part of a\nmodel of several (repeatable)")
	f.StringArrayVar(&r.Model.SecretSources, backendSecret[len("--"):], nil,
		"a secret option of the backend: `KEY=env:NAME` of an environment variable,\nor KEY=file:PATH. No result, log or "+
			"list of processes shows it")
	f.IntVar(&r.Model.Threads, "threads", 0, "short for --backend-opt threads=`N`")
	f.StringVar(&r.Model.ORTLib, "ort-lib", "",
		"ONNX Runtime library to use: short for --backend-opt lib=`PATH`;\nfetched is the one of harness fetch onnxruntime")
	f.StringVar(&r.Model.Precision, "precision", "", "`PRECISION` of the embedded model: fp32 or int8 (default fp32)")
	f.StringVar(&r.Data.Path, "dataset", "",
		"`PATH` of a data set in the official layout, a folder or a file as describe says (default: the plugin's own)")
	f.StringVar(&r.Data.AccuracyPath, "accuracy-dataset", "",
		"`PATH` of the data set of accuracy runs, where the model has one of its own\nfor them (default: that of --dataset)")
	f.StringVar(&r.Data.AuditPath, "audit-dataset", "",
		"`PATH` of the data set of the compliance test that has one of its own:\nTEST07 of gpt-oss-120b")
	f.IntVar(&r.Data.Count, "count", 0, "use only the first `N` samples of the data set")
	f.IntVar(&r.Model.Batch, "batch", 0, "largest batch: `N` samples (default: chosen by scenario and backend)")
	f.IntVar(&r.Model.Sessions, "sessions", 0, "run `N` batches at a time (default: chosen by scenario and backend)")
	f.StringVar(&r.Rules.Division, "division", "",
		"the rules of `DIVISION` apply: closed (default), open, or network: the\nbackend is a client of other machines, "+
			"which are the SUT")
	loadgenFlag(f, r)
	f.StringVar(&r.Load.Pace, "pace", "",
		"how Server queries are timed: `PACE` default, or precise: closer to\nthe due time, but costs a core")
	f.StringArrayVar(&r.Data.Targets, "target", nil,
		"the target accuracy, instead of the rules': `METRIC=VALUE` in\nthe metric's unit, such as accuracy=70; "+
			"below it the exit code is 4\n(repeatable)")
	f.StringVar(&r.Data.Expect, "expect", "",
		"compare the answers with those of `FILE` (classification: lines NAME\nCLASS): 99 % must be the same, or what "+
			"--target agreement=VALUE says")
	f.StringVar(&r.Output.System, "system", "",
		"JSON `FILE` with what the machine does not report about itself, such as\n{\"accelerator\": \"Acme X1\", "+
			"\"driver\": \"5.2\", \"power_mode\": \"15 W\"}:\nshown in the header and result.json")
	f.StringVar(&r.Output.Identity.Label, "label", "",
		"what to call these runs where several are shown: a `TEXT` for reports,\ncomparisons and result.json")
	f.StringVar(&r.Output.Note, "note", "", "a remark `TEXT` for the header and result.json")
	f.StringVar(&r.Output.PrecisionLabel, "precision-label", "",
		"the precision of a model of your own, in your `WORDS`: for the header and\nresult.json")
	f.StringArrayVar(&r.Data.ScorerModels, "scorer-model", nil,
		"a model that the scorer runs: `PART=PATH` (repeatable; describe lists the\nparts; default: the embedded one, else "+
			"the one that was fetched)")
	f.StringArrayVar(&r.Model.Params, "param", nil, "an option of the benchmark: `KEY=VALUE` (repeatable)")
}

// Some adds those of the flags of a run that a command takes as well.
func Some(f *pflag.FlagSet, r *bench.Request, names ...string) {
	var all pflag.FlagSet
	SettingFlags(&all, r)
	WorkloadFlags(&all, r)
	for _, name := range names {
		f.AddFlag(all.Lookup(name))
	}
}

// noZero refuses a 0 where leaving the flag out is what it would mean.
func noZero(c *cobra.Command) error {
	var faults []error
	for _, name := range []string{"batch", "count", "sessions", "threads"} {
		if f := c.Flags().Lookup(name); f != nil && f.Changed && f.Value.String() == "0" {
			faults = append(faults, fmt.Errorf("--%s 0: want at least 1, or leave the flag out", name))
		}
	}
	return errors.Join(faults...)
}

// OutputFlags adds the flags that decide where results go.
func OutputFlags(f *pflag.FlagSet, r *bench.Request) {
	f.StringVar(&r.Output.Dir, "out", "",
		"output `DIR` (default out, or out-2, out-3, ... where that holds the same runs)")
	f.BoolVar(&r.Output.Force, "force", false,
		"replace results that are in the output directory, once\nthere are new ones")
}

// Build finds the model's plugin and makes the plan.
func (a *App) Build(c *cobra.Command, f *PluginFlags, r bench.Request) (*bench.Plan, error) {
	r, err := a.Complete(c.Context(), f, r)
	if err != nil {
		return nil, err
	}
	return bench.NewPlan(c.Context(), r)
}

// Complete adds to what flags say what the process knows.
func (a *App) Complete(ctx context.Context, f *PluginFlags, r bench.Request) (_ bench.Request, err error) {
	if err := a.official(&r); err != nil {
		return r, err
	}
	r.Plugins, r.Model.Finder = a.PluginsOf(f), a.Files(ctx)
	r.Plugins.Launch.Hide, r.Plugins.Launch.Note = a.Secrets.Hide, a.Note
	r.Model.Env, r.Model.Secrets, r.Load.KeepProcessors = a.Env, &a.Secrets, a.Env("GOMAXPROCS") != ""
	r.Output.Harness, r.Output.Command, r.Output.Now, r.Output.Machine = Version(), a.CommandLine(), a.Now, a.Root
	r.Model.Profiles, _ = a.Profiles() // without a folder of settings there are none
	switch {
	case r.Model.ORTLib == onnxruntime.Word:
		r.Model.ORTLib, err = a.fetchedRuntime("--ort-lib " + onnxruntime.Word)
	case r.Model.ORTLib == "" && (r.Model.Backend == "" || r.Model.Backend == "ort") && a.fetchedByDefault():
		_, err = a.fetchedRuntime(EnvORTLib + "=" + onnxruntime.Word) // which plugins have by their environment
	}
	return r, err
}

// Profiles is the folder of profiles.
func (a *App) Profiles() (string, error) {
	dir, err := configDir(a.Env)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "tuning"), nil
}

// Note shows at once what a user should know of a plugin that works on.
func (a *App) Note(text string) {
	live.Clear(a.Console, a.ErrScreen.Is())
	fmt.Fprintln(a.Stderr, text)
	if a.Heard != nil {
		a.Heard(text)
	}
}

// LastRuntime is the ONNX Runtime that was fetched last; ok is false where none was.
func (a *App) LastRuntime() (l onnxruntime.Library, ok bool, err error) {
	dir, err := CacheDir(a.Env)
	if err != nil {
		return l, false, err
	}
	return onnxruntime.Last(dir)
}

// fetchedRuntime is the path of its library. asked is what asks for it.
func (a *App) fetchedRuntime(asked string) (string, error) {
	l, ok, err := a.LastRuntime()
	if err == nil && !ok {
		err = sdk.Data(fmt.Errorf("%s: none was fetched; run `harness fetch %s`", asked, onnxruntime.Name))
	}
	return l.Path, err
}

// EnvORTLib names the library of ONNX Runtime that plugins load: its path, or onnxruntime.Word.
const EnvORTLib = "PLUMBLINE_ORT_LIB"

// fetchedByDefault says that runs use the library that was fetched, if no flag says otherwise.
func (a *App) fetchedByDefault() bool { return a.Env(EnvORTLib) == onnxruntime.Word }

// DefaultRuntime gives plugins the path of the fetched library where the environment names it by its word. Where there
// is none, Complete refuses a run that needs it, and all else works.
func (a *App) DefaultRuntime(f *PluginFlags) {
	if !a.fetchedByDefault() {
		return
	}
	if l, ok, err := a.LastRuntime(); ok && err == nil {
		f.Launch.Env = append(f.Launch.Env, EnvORTLib+"="+l.Path)
	}
}

// OpenCache opens the folder of downloads.
func (a *App) OpenCache(o fetch.Options) (*fetch.Cache, error) {
	dir, err := CacheDir(a.Env)
	if err != nil {
		return nil, err
	}
	o.Proxy = a.Proxy
	return fetch.Open(dir, o)
}

// CommandLine is the command line as the user wrote it, for the record: without secrets.
func (a *App) CommandLine() []string {
	return append([]string{"harness"}, secret.Args(a.Args, SecretFlags())...)
}

// SecretFlags are the flags whose values, NAME=VALUE, may hold secrets, with what begins their names as options of a
// backend.
func SecretFlags() map[string]string {
	return map[string]string{backendOpt: "", "--header": "header.", "--body": "body."}
}

// Files are those that were fetched. The cache is opened only when a plan asks for one.
func (a *App) Files(ctx context.Context) bench.Files { return lazyFiles{a, ctx} }

// lazyFiles opens the cache only when a plan asks for a file.
type lazyFiles struct {
	*App
	ctx context.Context
}

// Locate implements bench.Files.
func (l lazyFiles) Locate(m sdk.ModelInfo, f sdk.ModelFile) (string, error) {
	c, err := l.OpenCache(fetch.Options{Offline: true})
	if err != nil {
		return "", err
	}
	return CachedFiles{Context: l.ctx, Cache: c}.Locate(m, f)
}

// MeterFlags adds the flags of a power meter beside what is measured.
func MeterFlags(f *pflag.FlagSet, meter *string, interval *time.Duration, beside string) {
	f.StringVar(meter, "power", "",
		"measure power beside "+beside+", by `METER`: rapl, or rapl:ROOT (Linux's\ncounters of the processors), cmd:COMMAND "+
			"(prints watts, a number a line), or\nfile:SPL (what a power meter's program writes). Informal: a submission of "+
			"power\nneeds the official power tools")
	f.DurationVar(interval, "power-interval", 0, "`TIME` between two readings, 10ms to 10s (default 1s)")
}
