package bench_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/bench"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// test07 contains settings of a compliance test with its own data set.
const test07 = "*.*.mode = 2\n"

// several returns a plugin whose accuracy runs and TEST07 have their own data sets with the given numbers of samples.
func several(samples int) *plugintest.Fake {
	f := plugintest.Classifier()
	m := &f.Description.Models[0]
	m.Datasets = append(m.Datasets,
		sdk.DatasetInfo{Name: "synthetic-accuracy", Embedded: true, Use: sdk.UseAccuracy, Samples: plugintest.Samples},
		sdk.DatasetInfo{Name: "answers", Use: sdk.UseAccuracy, Samples: samples},
		sdk.DatasetInfo{Name: "part", Use: "TEST07", Samples: samples})
	return f
}

// sets creates three files.
func sets(t *testing.T) (performance, accuracy, audit string) {
	t.Helper()
	dir := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("performance"), write("accuracy"), write("audit")
}

// TestEachUseHasItsDataSet checks that a performance run opens the first set, an accuracy run and its scorer the
// second, and a test its own, and that each record contains the path and checksum of its set.
func TestEachUseHasItsDataSet(t *testing.T) {
	f := several(plugintest.Samples)
	r := request(t, f)
	r.Load.Scenarios, r.Load.Mode, r.Rules.Smoke = []string{"Offline"}, bench.ModeSubmission, true
	r.Data.Path, r.Data.AccuracyPath, r.Data.AuditPath = sets(t)
	d, err := bench.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	other := r
	other.Load.Mode, other.Rules.Test = bench.ModePerformance, bench.Test{Name: "TEST04", Config: test04}
	if _, err := bench.Run(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	other.Rules.Test = bench.Test{Name: "TEST07", Config: test07}
	audited, err := bench.Run(t.Context(), other)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []sdk.Options{
		{Dataset: r.Data.Path}, {Dataset: r.Data.AccuracyPath, Use: sdk.UseAccuracy}, {Dataset: r.Data.Path},
		{Dataset: r.Data.AuditPath, Use: "TEST07"},
	} {
		if got := f.Opened()[i]; got.Dataset != want.Dataset || got.Use != want.Use {
			t.Errorf("run %d opened %s for %q, want %s for %q", i, got.Dataset, got.Use, want.Dataset, want.Use)
		}
	}
	for _, o := range f.Scored() {
		if o.Dataset != r.Data.AccuracyPath || o.Use != "" {
			t.Errorf("scored with %s for %q", o.Dataset, o.Use)
		}
	}
	sums := map[string]bool{}
	for i, path := range []string{r.Data.Path, r.Data.AccuracyPath, r.Data.AuditPath} {
		run := append(d.Runs, audited.Runs...)[i]
		if run.Options.Dataset != path || run.Workload.DatasetSHA256 == "" {
			t.Errorf("%v: the record has %s with checksum %q", run, run.Options.Dataset, run.Workload.DatasetSHA256)
		}
		sums[run.Workload.DatasetSHA256] = true
	}
	if len(sums) != 3 {
		t.Errorf("%d different checksums", len(sums))
	}
	if err := os.WriteFile(r.Data.AccuracyPath, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := bench.NewPlan(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	found, err := p.Earlier()
	if err != nil || !found[0].Finished() || !strings.Contains(found[1].Differs, "data set is another") {
		t.Errorf("after a change of the accuracy's set: %+v, %v", found, err)
	}
}

// TestEmbeddedDataSetsOfUses checks that each use opens the plugin's own data if no path is given.
func TestEmbeddedDataSetsOfUses(t *testing.T) {
	f := several(10)
	r := request(t, f)
	r.Load.Scenarios, r.Load.Mode = []string{"Offline"}, bench.ModeSubmission
	d, err := bench.Run(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if o := f.Opened()[1]; o.Use != sdk.UseAccuracy || o.Dataset != "" {
		t.Errorf("%+v", o)
	}
	if v := d.Runs[1].Accuracy; v == nil || v.Verdict.Metrics[0].Target <= 0 {
		t.Errorf("the accuracy on the plugin's own set has no target: %+v", v)
	}
}

func TestDataSetsThatDoNotFit(t *testing.T) {
	performance, accuracy, _ := sets(t)
	own, one, whole := several(4395), plugintest.Classifier(), plugintest.Classifier()
	m := &whole.Description.Models[0]
	m.Datasets = append(m.Datasets, sdk.DatasetInfo{Name: "catalogue", Samples: 48289, Whole: true})
	for want, c := range map[string]struct {
		fake *plugintest.Fake
		set  bench.Request
	}{
		"measures performance and accuracy on one data set": {one, bench.Request{
			Data: bench.Data{Path: performance, AccuracyPath: accuracy},
		}},
		"no compliance test of resnet50 has": {one, bench.Request{Data: bench.Data{Path: performance, AuditPath: accuracy}}},
		"--accuracy-dataset none: no such": {own, bench.Request{
			Data: bench.Data{Path: performance, AccuracyPath: "none"},
		}},
		"the performance run would have the plugin's own": {own, bench.Request{Data: bench.Data{AccuracyPath: accuracy}}},
		"TEST07 of resnet50 has a data set of its own, part of 4395 samples": {own, bench.Request{
			Data:  bench.Data{Path: performance},
			Rules: bench.Rules{Test: bench.Test{Name: "TEST07", Config: test07}},
		}},
		"the accuracy run of resnet50 wants the 4395 of answers: name it with --accuracy-dataset": {
			own, bench.Request{Data: bench.Data{Path: accuracy}, Rules: bench.Rules{Official: true},
				Load: bench.Load{Mode: bench.ModeAccuracy}}},
		"the performance run of resnet50 wants the 48289 of catalogue: name it with --dataset, or leave --official out": {
			whole, bench.Request{Data: bench.Data{Path: performance}, Rules: bench.Rules{Official: true}}},
	} {
		r := request(t, c.fake)
		r.Load.Scenarios, r.Data.Path, r.Data.AccuracyPath, r.Data.AuditPath = []string{"Offline"}, c.set.Data.Path,
			c.set.Data.AccuracyPath,
			c.set.Data.AuditPath
		r.Rules.Test, r.Rules.Official, r.Load.Mode = c.set.Rules.Test, c.set.Rules.Official, c.set.Load.Mode
		if _, err := bench.Run(t.Context(), r); err == nil || !strings.Contains(err.Error(), want) ||
			!errors.Is(err, sdk.ErrUsage) && !errors.Is(err, sdk.ErrData) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestSizesAreToldBeforeTheFirstRun checks that an accuracy data set of the wrong size ends the plan before performance
// is measured.
func TestSizesAreToldBeforeTheFirstRun(t *testing.T) {
	performance, accuracy, _ := sets(t)
	f := several(4395)
	r := request(t, f)
	r.Load.Scenarios, r.Load.Mode, r.Rules.Official = []string{"Offline"}, bench.ModeSubmission, true
	r.Data.Path, r.Data.AccuracyPath = performance, accuracy
	d, err := bench.Run(t.Context(), r)
	if err == nil || !strings.Contains(err.Error(), "the accuracy run of resnet50 wants the 4395 of answers") ||
		!errors.Is(err, sdk.ErrUsage) {
		t.Fatal(err)
	}
	if o := f.Opened(); len(o) != 1 || o[0].Use != sdk.UseAccuracy {
		t.Errorf("opened were %+v", o)
	}
	for _, run := range d.Runs {
		if run.Verdict != "FAILED" && run.Verdict != "not run" {
			t.Errorf("%s ran: %s", run.Mode, run.Verdict)
		}
	}
}
