package manifest

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk"
)

// opened is a workload that records its request.
type opened struct {
	sdk.Workload
	r      Request
	size   int
	closed *int
}

func (w *opened) Close() error {
	*w.closed++
	return nil
}

// scorer records its request.
type scorer struct {
	sdk.Scorer
	r    Request
	size int
}

// sized is a benchmark with a data set of ten samples. closed counts closed workloads.
func sized(closed *int) sdk.Benchmark {
	return Benchmark(text, folder(), Implementation{
		Open: func(_ context.Context, r *Request) (sdk.Workload, error) {
			w := &opened{size: r.Params.Int("size", 1, 1000), closed: closed}
			r.Count = r.SampleCount(10, "pictures")
			if r.Dataset == "none" {
				r.AddFault(sdk.Data(errors.New("no data set")))
			}
			if r.Dataset == "broken" {
				return nil, errors.New("broken")
			}
			w.r = *r
			return w, nil
		},
		Score: func(_ context.Context, r *Request) (sdk.Scorer, error) {
			return &scorer{size: r.Params.Int("size", 1, 1000), r: *r}, nil
		},
		Samples: 10,
	})
}

func TestOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "model.onnx")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := []struct {
		name        string
		o           sdk.Options
		size, count int
		bytes, path string
	}{
		{"nothing said", sdk.Options{}, 32, 10, "fp32", ""},
		{"another precision", sdk.Options{Precision: "int8", Count: 3}, 32, 3, "int8", ""},
		{"another model", sdk.Options{Model: "two"}, 64, 10, "fp32", ""},
		{"more than there are", sdk.Options{Count: 30, CountAtMost: true}, 32, 10, "fp32", ""},
		{"not more than there are", sdk.Options{Count: 3, CountAtMost: true}, 32, 3, "fp32", ""},
		{"a file of its own", sdk.Options{Model: "two", ModelFile: file}, 800, 10, "", file},
		{"a parameter", sdk.Options{Params: map[string]string{"size": "7"}}, 7, 10, "fp32", ""},
	}
	for _, c := range cases {
		w, err := sized(new(int)).Open(t.Context(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		got := w.(*opened)
		f := got.r.File()
		if got.size != c.size || got.r.Count != c.count || string(f.Bytes) != c.bytes || f.Path != c.path ||
			got.r.Embedded != (c.path == "") {
			t.Errorf("%s: size %d, count %d, %q, path %q", c.name, got.size, got.r.Count, f.Bytes, f.Path)
		}
	}
}

// TestOpenReportsEveryFault also checks that a workload that was opened in spite of faults is closed.
func TestOpenReportsEveryFault(t *testing.T) {
	closed := 0
	params := map[string]string{"size": "0", "sise": "1"}
	_, err := sized(&closed).Open(t.Context(), sdk.Options{Precision: "int4", Count: -1, Dataset: "none", Params: params})
	wantAll(t, err, "open one: ", `"int4"`, `unknown parameter "sise"`, "count = -1", "no data set",
		`parameter size = "0": want a number from 1 to 1000`)
	if !errors.Is(err, sdk.ErrUsage) || !errors.Is(err, sdk.ErrData) || closed != 1 {
		t.Errorf("error %v, %d workloads closed", err, closed)
	}
	_, err = sized(&closed).Open(t.Context(), sdk.Options{Count: 11})
	wantAll(t, err, "count = 11, want at most the 10 pictures of the data set")
	_, err = sized(&closed).Open(t.Context(), sdk.Options{Dataset: "broken"})
	wantAll(t, err, "open one: broken")
	_, err = sized(&closed).Open(t.Context(), sdk.Options{Model: "three"})
	wantAll(t, err, `unknown model "three"`)
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		o    sdk.ScoreOptions
		size int
	}{
		{sdk.ScoreOptions{}, 32},
		{sdk.ScoreOptions{Model: "two", Dataset: "d"}, 800},
		{sdk.ScoreOptions{Dataset: "d", Params: map[string]string{"size": "5"}}, 5},
	} {
		s, err := sized(nil).OpenScorer(t.Context(), c.o)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.(*scorer); got.size != c.size || !got.r.Scoring || got.r.File().Name != "" {
			t.Errorf("%+v: size %d", c.o, got.size)
		}
	}
	_, err := sized(nil).OpenScorer(t.Context(), sdk.ScoreOptions{Count: -1, Params: map[string]string{"size": "x"}})
	wantAll(t, err, "score one: ", "count = -1", `parameter size = "x"`)
	_, err = sized(nil).OpenScorer(t.Context(), sdk.ScoreOptions{Model: "three"})
	wantAll(t, err, `unknown model "three"`)
}

// TestDefaultsOfAParameter checks that the user's value selects the defaults of the other parameters, and that a log is
// scored with the defaults of the model that answered.
func TestDefaultsOfAParameter(t *testing.T) {
	for _, c := range []struct {
		file, given string
		want        string // the size
	}{
		{"", "", "64"}, {"", "a file", "800"}, {"", Embedded, "64"}, {"mine.onnx", Embedded, "64"}, {"mine.onnx", "", "800"},
	} {
		r, err := parsed(t).runRequest(sdk.Options{Model: "two", ModelFile: c.file,
			Params: map[string]string{"words": c.given}})
		if err != nil {
			t.Fatal(err)
		}
		if r.DefaultsOf("words"); r.Params.Text("size") != c.want || r.Params.Text("words") != c.given && c.given != "" {
			t.Errorf("file %q, words %q: size %s, want %s", c.file, c.given, r.Params.Text("size"), c.want)
		}
	}
	for dataset, want := range map[string]string{"": "64", "set": "800"} {
		for _, embedded := range []bool{false, true} {
			r, err := parsed(t).scoreRequest(sdk.ScoreOptions{Model: "two", Dataset: dataset, Embedded: embedded})
			if err != nil {
				t.Fatal(err)
			}
			if embedded {
				want = "64"
			}
			if got := r.Params.Text("size"); got != want || r.Embedded != embedded {
				t.Errorf("data set %q, embedded model %v: size %s, want %s", dataset, embedded, got, want)
			}
		}
	}
}

func TestABrokenManifestPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("it passed")
		}
	}()
	Benchmark("{", folder(), Implementation{})
}

func TestWorkOnDataset(t *testing.T) {
	const listed = `{"name": "b", "models": [{"name": "m", "datasetActions": [
		{"action": "convert", "name": "copy", "summary": "copies", "input": "a file", "output": "a copy",
		 "params": [{"name": "times", "default": "1"}]}]}]}`
	i := Implementation{Dataset: func(_ context.Context, r sdk.DatasetRequest, _ func(string)) (string, error) {
		return "copied " + r.Input, nil
	}}
	b := Benchmark(listed, folder(), i)
	actions := b.Describe().Models[0].DatasetActions
	if len(actions) != 2 || actions[1].Action != sdk.Verify ||
		actions[0].String() != "convert copy" || actions[0].Params[0].Default != "1" {
		t.Errorf("%+v", actions)
	}
	done, err := b.(sdk.DatasetWorker).WorkOnDataset(t.Context(), sdk.DatasetRequest{Input: "in"}, nil)
	if err != nil || done != "copied in" {
		t.Errorf("%q, %v", done, err)
	}
	_, err = sized(nil).(sdk.DatasetWorker).WorkOnDataset(t.Context(), sdk.DatasetRequest{}, nil)
	wantAll(t, err, "does no work on data sets")
	_, err = readManifest(`{"models": [{"name": "m"}]}`, folder(), i)
	wantAll(t, err, "no model lists the datasetActions")
}

func TestOf(t *testing.T) {
	if m, ok := Of(sized(nil)); !ok || m.Name != "b" {
		t.Error("no manifest of a benchmark that has one")
	}
	if _, ok := Of(nil); ok {
		t.Error("a manifest of none")
	}
}
