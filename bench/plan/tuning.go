package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/plumbline-ml/plumbline/internal/checksum"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/secret"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench/internal/division"
	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/bench/tune"
)

// Tuning is what the runs of a plan use of a profile of harness tune.
type Tuning struct {
	File  string   // the profile that is used; empty: none
	Notes []string // why one is not used, or only in part
}

// NoTuning is the value of Model.Tuning that leaves profiles alone.
const NoTuning = "none"

// namedProfile is the profile that the request names; nil: it names none.
func (m Model) namedProfile() (*tune.Profile, error) {
	if m.Tuning == "" || m.Tuning == NoTuning {
		return nil, nil
	}
	profile, err := tune.Load(m.Tuning)
	if err != nil {
		return nil, sdk.Usage(fmt.Errorf("--tuning: %w", err))
	}
	return &profile, nil
}

// useProfile lets the runs use the profile that the request names, or else the one that fits, if there is one.
func (p *Plan) useProfile(r Request, named *tune.Profile) error {
	switch {
	case r.Model.Tuning == NoTuning:
		return nil
	case named != nil:
		return p.tuneNamed(r, named)
	}
	return p.tuneFound(r)
}

// tuneFound uses the profile that fits the plan.
func (p *Plan) tuneFound(r Request) error {
	if r.Model.Profiles == "" || p.Division == division.Network { // a batch of the profile would be work at the client
		return nil
	}
	path, profile, ignored, err := tune.Store{Dir: r.Model.Profiles}.Find(p.Subject(r))
	p.Tuning.Notes = ignored
	if err != nil || profile == nil {
		return err
	}
	if flags := p.settingFlags(); len(flags) > 0 {
		p.Tuning.Notes = append(p.Tuning.Notes, fmt.Sprintf("%s is not used: %s given", path, strings.Join(flags, ", ")))
		return nil
	}
	offline := func(t Run) bool { return t.Scenario == loadgen.Offline }
	if profile.Offline != nil && !profile.Offline.Decided && slices.ContainsFunc(p.Runs, offline) {
		p.Tuning.Notes = append(p.Tuning.Notes, fmt.Sprintf(
			"the setting of %s for Offline is not used: harness tune called it not certain (--tuning %[1]s uses it); what it "+
				"reached says how many samples a run takes", path))
	}
	return p.applyProfile(path, profile, false)
}

// tuneNamed uses the profile that the user named. It may be one of another machine, which the plan then says.
func (p *Plan) tuneNamed(r Request, profile *tune.Profile) error {
	subject := p.Subject(r)
	for _, part := range []struct{ what, has, want string }{
		{"model", profile.For.Model, subject.Model}, {"backend", profile.For.Backend, subject.Backend},
	} {
		if part.has != part.want {
			return sdk.Usage(fmt.Errorf(
				"--tuning %s: it is for the %s %s, not %s; harness tune makes one", r.Model.Tuning, part.what, part.has, part.want))
		}
	}
	why, err := profile.Mismatch(subject)
	if err != nil {
		return err
	}
	if why == "" && !profile.For.Same(subject.Key) {
		why = "another precision, model file, data set, options or devices"
	}
	if why != "" {
		p.Tuning.Notes = append(p.Tuning.Notes, "it was measured with "+why)
	}
	return p.applyProfile(r.Model.Tuning, profile, true)
}

// Subject returns the facts that a profile has to match.
func (p *Plan) Subject(r Request) tune.Subject {
	info := r.Described()
	return tune.Subject{
		Key: p.profileKey(), Machine: tune.Machine{CPU: info.CPU, Cores: info.MaxProcs},
		PluginSHA256: sync.OnceValues(func() (string, error) {
			sum, _, err := checksum.File(p.Served.Path)
			return sum, plugin.Fault(err)
		}),
	}
}

// applyProfile lets the runs use a profile: Offline and Server its settings, but for what the plan's flags say, and its
// rates where no flag changes the setting that they were measured with and the limits of latency are those of the
// search. Offline's setting is used where the search was certain of it, or uncertain settings are wanted, too.
func (p *Plan) applyProfile(path string, f *tune.Profile, uncertain bool) error {
	var faults []error
	for i := range p.Runs {
		faults = append(faults, p.tuneRun(&p.Runs[i], path, f, uncertain))
	}
	if err := errors.Join(faults...); err != nil {
		return err
	}
	if slices.ContainsFunc(p.Runs, Run.FromProfile) {
		p.Tuning.File = path
	}
	return nil
}

// FromProfile reports whether a profile of harness tune has set any setting of the run.
func (r Run) FromProfile() bool { return r.Tuned != nil || r.TunedRate || r.TunedLatency }

// offlineReserve is how much more than the throughput that was measured Offline expects: a run on a faster day would
// end before min_duration. For the same reason a profile raises the expected rate and never lowers it.
const offlineReserve = 1.2

// tuneRun gives a run what the profile has for it.
func (p *Plan) tuneRun(run *Run, path string, f *tune.Profile, uncertain bool) error {
	switch {
	case run.Scenario == loadgen.Offline && f.Offline != nil:
		if f.Offline.Decided || uncertain {
			run.Tuned = &f.Offline.Setting
		}
		if rate := offlineReserve * f.Offline.SamplesPerSecond; rate > run.Settings.OfflineExpectedQPS {
			return p.tuneRate(run, path, rate)
		}
	case run.Scenario == loadgen.Server && f.Server != nil:
		run.Tuned = &f.Server.Setting
		if why := whyUnfit(f.Server, run.Settings.TestSettings); why != "" {
			p.noteOnce(fmt.Sprintf("target_qps %s is not used: %s", figure.Round(f.Server.TargetQPS), why))
			return nil
		}
		return p.tuneRate(run, path, f.Server.TargetQPS)
	case (run.Scenario == loadgen.SingleStream || run.Scenario == loadgen.MultiStream) && f.Offline != nil:
		return p.tuneLatency(run, path, f.Offline.SamplesPerSecond)
	}
	return nil
}

// minExpected bounds the latency that a profile lets a stream expect: LoadGen generates beforehand as many queries as
// fit into twice min_duration, twelve million of ten minutes then.
const minExpected = 100 * time.Microsecond

// tuneLatency lets SingleStream and MultiStream expect the time that Offline takes for as many samples, where the
// rules' default is more than twice that: a query can hardly be faster, and one that is answered in less than half of
// what is expected uses up the queries that LoadGen has generated. Such a run ends before min_duration and is INVALID.
func (p *Plan) tuneLatency(run *Run, path string, samplesPerSecond float64) error {
	expected, samples := expectedLatency(run), uint64(1)
	if run.Scenario == loadgen.MultiStream {
		samples = run.Settings.MultiStreamSamplesPerQuery
	}
	fastest := max(time.Duration(float64(samples)/samplesPerSecond*float64(time.Second)), minExpected)
	if 2*fastest >= expected {
		return nil
	}
	err := run.Settings.Suggest("tuning "+path, mlconf.Override{
		Scenario: run.Scenario, Key: "target_latency",
		Value: strconv.FormatFloat(float64(fastest.Microseconds())/1000, 'f', -1, 64),
	})
	run.TunedLatency = expectedLatency(run) != expected // which a user's own stays
	return err
}

// expectedLatency is that of a run of SingleStream or MultiStream.
func expectedLatency(run *Run) time.Duration {
	if run.Scenario == loadgen.MultiStream {
		return run.Settings.MultiStreamExpectedLatency
	}
	return run.Settings.SingleStreamExpectedLatency
}

// whyUnfit says why a rate was found for other runs; empty: it fits.
func whyUnfit(f *tune.Server, t loadgen.TestSettings) string {
	confirmed := time.Duration(f.MinDurationMS) * time.Millisecond
	switch limits := tune.LimitsOf(t); {
	case limits != f.Limits:
		return fmt.Sprintf("it was found for %v, and this run wants %v", f.Limits, limits)
	case t.MinDuration > confirmed:
		return fmt.Sprintf("it was found in runs of %s, and this one takes %s", figure.Seconds(confirmed),
			figure.Seconds(t.MinDuration))
	}
	return ""
}

// noteOnce adds a note once: performance and accuracy of a scenario have the same.
func (p *Plan) noteOnce(text string) {
	if !slices.Contains(p.Tuning.Notes, text) {
		p.Tuning.Notes = append(p.Tuning.Notes, text)
	}
}

// tuneRate sets target_qps, unless flags change the setting that the rate was measured with.
func (p *Plan) tuneRate(run *Run, path string, rate float64) error {
	if len(p.settingFlags()) > 0 {
		return nil
	}
	run.TunedRate = true
	return run.Settings.Suggest("tuning "+path,
		mlconf.Override{Scenario: run.Scenario, Key: "target_qps", Value: strconv.FormatFloat(rate, 'f', -1, 64)})
}

// settingFlags are the flags that were given for what a profile says, too.
func (p *Plan) settingFlags() []string {
	var flags []string
	if p.Options.Batch > 0 {
		flags = append(flags, "--batch")
	}
	if p.Options.Sessions > 0 {
		flags = append(flags, "--sessions")
	}
	if _, ok := p.Options.BackendOptions[tune.ThreadsOption]; ok {
		flags = append(flags, "--threads")
	}
	if _, ok := p.Options.BackendOptions[tune.RequestsOption]; ok {
		flags = append(flags, "--backend-opt "+tune.RequestsOption)
	}
	return flags
}

// OptionsOf returns the options with which the plugin opens a run.
func (p *Plan) OptionsOf(r Run) sdk.Options {
	o := p.Options
	if r.Tuned != nil {
		s := *r.Tuned
		if o.Batch > 0 {
			s.Batch = 0
		}
		if o.Sessions > 0 {
			s.Sessions = 0
		}
		if _, given := o.BackendOptions[tune.ThreadsOption]; given {
			s.Threads = 0
		}
		if _, given := o.BackendOptions[tune.RequestsOption]; given {
			s.Requests = 0
		}
		o = s.On(o)
	}
	o.Scenario, o.Use = r.Scenario, p.UseOf(r)
	o.Dataset = p.DatasetPath(o.Use)
	return o
}

// Shown returns options without the backend's secrets, for output.
func (p *Plan) Shown(o sdk.Options) sdk.Options {
	o.BackendOptions = secret.Options(o.BackendOptions, p.Secrets)
	return o
}

// TuningText describes the settings that the runs use of the profile, and why they do not use more; empty: no profile.
func (p *Plan) TuningText() string {
	var parts []string
	for _, r := range p.Runs {
		if part := p.tunedText(r); r.FromProfile() && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	parts = append(parts, p.Tuning.Notes...)
	text := strings.Join(parts, "; ")
	if p.Tuning.File != "" {
		text += " (" + p.Tuning.File + ")"
	}
	return text
}

// tunedText is what one run uses: "Server batch 4, 2 sessions, 1 thread, target_qps 812.50", or "SingleStream
// target_latency 0.8 ms".
func (p *Plan) tunedText(r Run) string {
	if r.TunedLatency {
		return fmt.Sprintf("%v target_latency %s", r.Scenario, figure.Seconds(expectedLatency(&r)))
	}
	o := p.OptionsOf(r)
	number := func(option string) int {
		n, _ := strconv.Atoi(o.BackendOptions[option]) // what is not a number is the backend's own word
		return n
	}
	text := fmt.Sprintf("%v %v", r.Scenario, tune.Setting{
		Batch: o.Batch, Sessions: o.Sessions, Threads: number(tune.ThreadsOption), Requests: number(tune.RequestsOption),
	})
	if !r.TunedRate {
		return text
	}
	rate := r.Settings.ServerTargetQPS
	if r.Scenario == loadgen.Offline {
		rate = r.Settings.OfflineExpectedQPS
	}
	return text + ", target_qps " + figure.Round(rate)
}

// sizeOf is the size of a model's file, or of all files of its folder; 0 where there is none.
func sizeOf(path string) (size int64) {
	if path == "" {
		return 0
	}
	// what cannot be read is the plugin's to tell
	_ = filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}

// profileKey is what a profile for the plan's runs is found by.
func (p *Plan) profileKey() tune.Key {
	k := tune.Key{
		Model: p.Served.Model.Name, ModelFile: p.Options.ModelFile, Precision: p.Options.Precision,
		Dataset: p.Options.Dataset,
		Backend: p.Options.Backend, BackendOptions: p.Shown(p.Options).BackendOptions, Params: p.Options.Params,
		Devices: p.Options.Devices, Network: p.Options.Network, PartFiles: p.Options.PartFiles,
	}
	delete(k.BackendOptions, tune.ThreadsOption)
	delete(k.BackendOptions, tune.RequestsOption)
	if k.Backend == "" && len(p.Served.Description.Backends) > 0 {
		k.Backend = p.Served.Description.Backends[0]
	}
	if p.File != nil {
		k.Precision = p.File.Precision
	}
	if p.Embedded {
		k.ModelFile = ""
	}
	k.ModelSize = sizeOf(k.ModelFile)
	for _, file := range k.PartFiles {
		k.ModelSize += sizeOf(file)
	}
	return k
}
