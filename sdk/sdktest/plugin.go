package sdktest

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// defaultSamples is how much of the data set the suite uses: enough for batches of every size, few enough for a slow model.
const defaultSamples = 24

// Plugin is a plugin binary under test.
type Plugin struct {
	Binary string
	// Options open the workloads. Count defaults to 24; the suite sets Scenario.
	Options sdk.Options
	// Env is added to the plugin's environment.
	Env []string
	// Varies allows payloads to differ from run to run, where the device computes so.
	Varies bool
}

// RunPluginSuite checks what a harness relies on: the handshake, the description, the four scenarios, that every sample
// is answered once and always with the same payload, scoring, errors, and that no process is left.
func RunPluginSuite(t *testing.T, p Plugin) {
	t.Helper()
	if p.Options.Count == 0 {
		p.Options.Count = defaultSamples
	}
	t.Run("started by hand", p.byHand)
	t.Run("description", p.description)
	t.Run("scenarios", p.scenarios)
	t.Run("scoring", p.scoring)
	t.Run("errors", p.errors)
	t.Run("end", p.end)
}

// launch starts the plugin; the end of the test closes it.
func (p Plugin) launch(t *testing.T) *host.Plugin {
	t.Helper()
	running, err := host.Launch(t.Context(), p.Binary, host.LaunchOptions{Env: p.Env})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := running.Close(); err != nil {
			t.Error(err)
		}
	})
	return running
}

func (p Plugin) open(t *testing.T, running *host.Plugin, s loadgen.Scenario) *host.Workload {
	t.Helper()
	o := p.Options
	o.Scenario = s
	w, err := running.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (p Plugin) byHand(t *testing.T) {
	var exit *exec.ExitError
	out, err := exec.CommandContext(t.Context(), p.Binary).CombinedOutput()
	if !errors.As(err, &exit) {
		t.Errorf("it ran without a harness: error %v, want an exit status that is not 0", err)
	}
	if len(strings.TrimSpace(string(out))) == 0 {
		t.Error("it does not say what it is for")
	}
}

func (p Plugin) description(t *testing.T) {
	d, err := p.launch(t).Describe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Name == "" || d.Version == "" || d.Summary == "" {
		t.Errorf("name %q, version %q, summary %q: none may be empty", d.Name, d.Version, d.Summary)
	}
	if len(d.Models) == 0 || len(d.Backends) == 0 {
		t.Errorf("%d models and %d backends, want at least one of each", len(d.Models), len(d.Backends))
	}
	names := map[string]bool{}
	for _, m := range d.Models {
		if m.Name == "" || names[m.Name] {
			t.Errorf("model name %q is empty or occurs twice", m.Name)
		}
		names[m.Name] = true
		checkModel(t, m)
	}
	inspected, err := host.Inspect(t.Context(), p.Binary)
	if err != nil {
		t.Error(err)
	} else if !reflect.DeepEqual(inspected, d) {
		t.Errorf("the argument describe says\n%+v\nand the wire says\n%+v", inspected, d)
	}
}

func checkModel(t *testing.T, m sdk.ModelInfo) {
	t.Helper()
	if len(m.Scenarios) == 0 || len(m.Files) == 0 || len(m.Datasets) == 0 || len(m.Metrics) == 0 {
		t.Errorf("model %s has %d scenarios, %d files, %d data sets, %d metrics: want at least one of each",
			m.Name, len(m.Scenarios), len(m.Files), len(m.Datasets), len(m.Metrics))
	}
	for _, f := range m.Files {
		if f.Embedded == (f.URL != "") {
			t.Errorf("model %s, file %s: embedded %v and URL %q: want one of the two", m.Name, f.Name, f.Embedded, f.URL)
		}
	}
	for _, x := range m.Metrics {
		if x.Name == "" || x.Upper != 0 && x.Upper < x.Target {
			t.Errorf("model %s, metric %q: target %v to %v", m.Name, x.Name, x.Target, x.Upper)
		}
	}
}

// scenarios runs each in both modes. The payloads of a sample must never differ.
func (p Plugin) scenarios(t *testing.T) {
	running := p.launch(t)
	var first map[loadgen.SampleIndex][]byte
	for _, s := range loadgen.Scenarios() {
		for _, m := range []loadgen.Mode{loadgen.PerformanceOnly, loadgen.AccuracyOnly} {
			t.Run(s.String()+" "+m.String(), func(t *testing.T) {
				payloads := p.run(t, running, s, m)
				if first == nil {
					first = payloads
				}
				for i, payload := range payloads {
					before, ok := first[i]
					if !ok {
						first[i] = payload
					} else if !p.Varies && !slices.Equal(before, payload) {
						t.Errorf("sample %d: payload % x, and % x in an earlier run", i, payload, before)
					}
				}
			})
		}
	}
}

// run runs one test and returns the payload of each sample that was issued.
func (p Plugin) run(t *testing.T, running *host.Plugin, s loadgen.Scenario, m loadgen.Mode) map[loadgen.SampleIndex][]byte {
	t.Helper()
	ctx, cancel := running.Context(t.Context())
	defer cancel()
	w := p.open(t, running, s)
	info := w.Info()
	if info.DatasetSize != w.QSL().TotalSampleCount() || info.DatasetSize <= 0 || info.PerformanceSampleCount <= 0 || info.Batch <= 0 || info.Sessions <= 0 {
		t.Errorf("what was opened makes no sense: %+v", info)
	}
	recorder := newRecorder(w.SUT(), p.Varies)
	r, err := loadgen.StartTest(ctx, recorder, w.QSL(), settings(s, m), loadgen.LogSettings{OutDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if m == loadgen.AccuracyOnly && len(recorder.payloads) != info.DatasetSize {
		t.Errorf("%d samples were answered, the data set has %d", len(recorder.payloads), info.DatasetSize)
	}
	for _, fault := range recorder.faults {
		t.Error(fault)
	}
	if r.SUTName == "" || r.QSLName == "" {
		t.Errorf("SUT %q, QSL %q: none may be empty", r.SUTName, r.QSLName)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	return recorder.payloads
}

func (p Plugin) errors(t *testing.T) {
	running := p.launch(t)
	for name, spoil := range map[string]func(o *sdk.Options){
		"model":          func(o *sdk.Options) { o.Model = "no such model" },
		"backend":        func(o *sdk.Options) { o.Backend = "no such backend" },
		"backend option": func(o *sdk.Options) { o.BackendOptions = withOption(o.BackendOptions) },
	} {
		o := p.Options
		spoil(&o)
		if _, err := running.Open(t.Context(), o); !errors.Is(err, sdk.ErrUsage) {
			t.Errorf("unknown %s: error %v, want one of class sdk.ErrUsage", name, err)
		}
	}
	w := p.open(t, running, loadgen.SingleStream)
	beyond := loadgen.SampleIndex(w.Info().DatasetSize)
	if err := w.QSL().LoadSamplesToRAM(t.Context(), []loadgen.SampleIndex{beyond}); err == nil {
		t.Errorf("sample %d of %d loaded", beyond, beyond)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

func withOption(options map[string]string) map[string]string {
	o := maps.Clone(options)
	if o == nil {
		o = map[string]string{}
	}
	o["no such option"] = "1"
	return o
}

// end checks that a plugin ends when it is asked to, and when it is killed.
func (p Plugin) end(t *testing.T) {
	running := p.launch(t)
	if err := running.Close(); err != nil {
		t.Error(err)
	}
	if err := signal(running.PID(), syscall.Signal(0)); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("process %d is left: %v", running.PID(), err)
	}
	killed := p.launch(t)
	ctx, cancel := killed.Context(t.Context())
	defer cancel()
	p.open(t, killed, loadgen.Server)
	if err := signal(killed.PID(), os.Kill); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	var failure *host.Error
	if _, err := killed.Describe(t.Context()); !errors.As(err, &failure) || failure.Kind != host.KindDied {
		t.Errorf("error %v, want that it died", err)
	}
}

func signal(pid int, s os.Signal) error {
	p, err := os.FindProcess(pid)
	if err != nil {
		return err
	}
	return p.Signal(s)
}
