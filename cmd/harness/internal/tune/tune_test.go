package tune

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/plugin/plugintest"
)

func TestGrid(t *testing.T) {
	want := []Setting{{1, 1, 0}, {8, 1, 0}, {1, 2, 0}, {8, 2, 0}}
	if got := Grid([]int{1, 8}, []int{1, 2}, nil); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestSearchMeasuresEveryPointAndTheBestAgain(t *testing.T) {
	f := plugintest.Classifier()
	reported := 0
	s := Search{
		Launcher: plugintest.New(map[string]*plugintest.Fake{"x": f}), Binary: host.BinaryPrefix + "x",
		Options: sdk.Options{Model: "resnet50", BackendOptions: map[string]string{"lib": "l"}}, Time: 5 * time.Millisecond,
		Report: func(Point) { reported++ },
	}
	grid := Grid([]int{1, 4}, []int{1, 2}, []int{3})
	points, err := s.Run(t.Context(), grid)
	if err != nil {
		t.Fatal(err)
	}
	if len(points) != len(grid) || reported != len(grid)+finalists {
		t.Errorf("%d points, %d measured, want %d and %d", len(points), reported, len(grid), len(grid)+finalists)
	}
	for i, p := range points {
		if !(p.SamplesPerSecond > 0) || i > 0 && p.SamplesPerSecond > points[i-1].SamplesPerSecond {
			t.Errorf("point %d is %+v", i, p)
		}
	}
	for i, o := range f.Opened()[:len(grid)] {
		if o.Batch != grid[i].Batch || o.Sessions != grid[i].Sessions || o.BackendOptions["threads"] != "3" || o.BackendOptions["lib"] != "l" {
			t.Errorf("open %d got %+v", i, o)
		}
	}
	if f.Running() != 0 {
		t.Error("a plugin is left running")
	}
}

func TestSearchEndsAtAFailure(t *testing.T) {
	f := plugintest.Classifier()
	f.OpenErr = errors.New("no memory for it")
	s := Search{Launcher: plugintest.New(map[string]*plugintest.Fake{"x": f}), Binary: host.BinaryPrefix + "x", Time: time.Millisecond}
	if _, err := s.Run(t.Context(), Grid([]int{7}, []int{1}, nil)); err == nil || !strings.Contains(err.Error(), "batch 7") {
		t.Errorf("error %v, want one that names the point", err)
	}
}

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "x.json")
	f := File{Schema, SchemaVersion, "resnet50", "ort", "fp32", "sum", "machine", Setting{8, 2, 1}, []Point{{Setting{8, 2, 1}, 100}}}
	if err := f.Save(path); err != nil {
		t.Fatal(err)
	}
	if got, err := Load(path); err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("got %+v, %v; want %+v", got, err, f)
	}
	if _, err := Load(path + "x"); !errors.Is(err, ErrFile) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	_, err := parse([]byte(`{"schema": "x", "best": {"batch": -1}}`))
	for _, want := range []string{`schema "x"`, "no model", "batch -1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schema":"plumbline.tuning","schema_version":1,"model":"m","best":{"batch":1,"sessions":2}}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if f, err := parse(text); err == nil && (f.Model == "" || f.Best.Batch < 0 || f.Best.Sessions < 0 || f.Best.Threads < 0) {
			t.Errorf("%+v", f)
		}
	})
}
