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

// Tuning describes the profile of harness tune that the runs of a plan use.
type Tuning struct {
	File  string   // path of the profile; "": none
	Notes []string // why a profile is not used or only partly used
}

// NoTuning is the value of Model.Tuning that disables profiles.
const NoTuning = "none"

// useProfile applies the profile that the request names or, by default, the matching one if there is one.
func (p *Plan) useProfile(r Request, named *tune.Profile) error {
	switch {
	case r.Model.Tuning == NoTuning:
		return nil
	case named != nil:
		return p.tuneNamed(r, named)
	}
	return p.tuneFound(r)
}

// tuneFound applies the profile that matches the plan.
func (p *Plan) tuneFound(r Request) error {
	if r.Model.Profiles == "" || p.Division == division.Network { // a batch of the profile would be work on the client
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

// tuneNamed applies the profile that the user named. If it is from another machine, the plan gets a note.
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

// Subject returns the facts that a profile must match.
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

// applyProfile applies a profile to the runs. Offline and Server use its settings, except those that the plan's flags
// set. They use its rates if no flag changes the setting with which the rates were measured and the latency limits
// equal those of the search. Offline's setting is used only if the search was certain of it or uncertain is true.
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

// offlineReserve is the factor between the measured throughput and the rate that Offline expects. Without a reserve, a
// slightly faster run would end before min_duration. For the same reason, a profile raises the expected rate but never
// lowers it.
const offlineReserve = 1.2

// tuneRun applies the profile to a run.
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

// minExpected is the minimum latency that a profile may set for a stream. LoadGen generates queries for twice
// min_duration in advance; at this latency, ten minutes require twelve million.
const minExpected = 100 * time.Microsecond

// tuneLatency sets the expected latency of SingleStream and MultiStream to the time that Offline needs for the same
// number of samples, if the rules' default is more than twice that time. A query is rarely faster. If queries take less
// than half of the expected time, the run uses up the queries that LoadGen generated, ends before min_duration and is
// INVALID.
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
	run.TunedLatency = expectedLatency(run) != expected // false if the user set the latency
	return err
}

// expectedLatency returns the expected latency of a SingleStream or MultiStream run.
func expectedLatency(run *Run) time.Duration {
	if run.Scenario == loadgen.MultiStream {
		return run.Settings.MultiStreamExpectedLatency
	}
	return run.Settings.SingleStreamExpectedLatency
}

// whyUnfit explains why a rate of the profile does not fit a run; "": it fits.
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

// noteOnce adds a note once, because performance and accuracy runs of a scenario produce the same note.
func (p *Plan) noteOnce(text string) {
	if !slices.Contains(p.Tuning.Notes, text) {
		p.Tuning.Notes = append(p.Tuning.Notes, text)
	}
}

// tuneRate sets target_qps, unless flags change the setting with which the rate was measured.
func (p *Plan) tuneRate(run *Run, path string, rate float64) error {
	if len(p.settingFlags()) > 0 {
		return nil
	}
	run.TunedRate = true
	return run.Settings.Suggest("tuning "+path,
		mlconf.Override{Scenario: run.Scenario, Key: "target_qps", Value: strconv.FormatFloat(rate, 'f', -1, 64)})
}

// settingFlags returns the given flags that set values of a profile.
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
	o.BackendOptions = secret.HideOptions(o.BackendOptions, p.Secrets)
	return o
}

// TuningText describes the settings that the runs use of the profile, and why they do not use others; "": no profile.
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

// tunedText describes what one run uses of the profile: "Server batch 4, 2 sessions, 1 thread, target_qps 812.50", or
// "SingleStream target_latency 0.8 ms".
func (p *Plan) tunedText(r Run) string {
	if r.TunedLatency {
		return fmt.Sprintf("%v target_latency %s", r.Scenario, figure.Seconds(expectedLatency(&r)))
	}
	o := p.OptionsOf(r)
	number := func(option string) int {
		n, _ := strconv.Atoi(o.BackendOptions[option]) // text that is not a number is a word of the backend
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

// sizeOf returns the size of a model's file, or of all files of its folder; 0: there is none.
func sizeOf(path string) (size int64) {
	if path == "" {
		return 0
	}
	// the plugin reports unreadable files
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

// profileKey returns the key by which a profile for the plan's runs is found.
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
