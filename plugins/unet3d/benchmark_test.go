package unet3d

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy/dice"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/option"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

func TestTheModel(t *testing.T) {
	d := New().Describe()
	if len(d.Models) != 2 {
		t.Fatalf("%d models, want 3d-unet and 3d-unet-brats", len(d.Models))
	}
	m := d.Models[0]
	want := []loadgen.Scenario{loadgen.SingleStream, loadgen.Offline}
	if m.Name != "3d-unet" || m.LoadGenKey != "3d-unet" || m.RulesKey != "3d-unet-99" || !slices.Equal(m.Scenarios, want) {
		t.Errorf("%s: LoadGen key %q, rules key %q, scenarios %v", m.Name, m.LoadGenKey, m.RulesKey, m.Scenarios)
	}
	if len(m.Datasets) != 2 || m.Datasets[0].Samples != volumes.EvalCount || m.Datasets[1].Samples != 43 {
		t.Errorf("data sets %+v, want the embedded one and kits19", m.Datasets)
	}
}

func TestTheEmbeddedModelHasAWindowOfItsOwn(t *testing.T) {
	w, err := New().Open(t.Context(), sdk.Options{Model: "3D-UNet", Precision: "int8"})
	if err != nil {
		t.Fatal(err)
	}
	m := w.Parts()[0].Model
	if in, out := m.Inputs[0].String(), m.Outputs[0].String(); in != "input float32[N,1,32,32,32]" ||
		out != "output float32[N,3,32,32,32]" {
		t.Errorf("tensors %v %v", in, out)
	}
}

func TestOpenModelFile(t *testing.T) {
	file := manifesttest.ModelFile(t)
	w, err := New().Open(t.Context(), sdk.Options{ModelFile: file, Params: map[string]string{"output": "scores"}})
	if err != nil {
		t.Fatal(err)
	}
	m := w.Parts()[0].Model
	if m.Path != file || m.Inputs[0].String() != "input float32[N,1,128,128,128]" ||
		m.Outputs[0].String() != "scores float32[N,3,128,128,128]" {
		t.Errorf("path %q, tensors %v %v", m.Path, m.Inputs, m.Outputs)
	}
}

// published are the first two cases of the benchmark in the published layout, of synthetic volumes.
func published(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := export.Volumes(t.Context(), dir, volumes.Eval(), 0, 2); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "case_00001"), filepath.Join(dir, "case_00003")); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestVolumesReadFromFilesAreThoseDrawn(t *testing.T) {
	fromFiles, err := New().Open(t.Context(), sdk.Options{Dataset: published(t), Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	fromCode, err := New().Open(t.Context(), sdk.Options{Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		a, errA := fromFiles.Load(t.Context(), i)
		b, errB := fromCode.Load(t.Context(), i)
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if a, b := a.(*volumeSample), b.(*volumeSample); a.shape != b.shape || !slices.Equal(a.image, b.image) {
			t.Errorf("sample %d: shapes %v and %v, or other voxels", i, a.shape, b.shape)
		}
	}
}

// preprocessed writes an index of one case of a shape, with its labels.
func preprocessed(t *testing.T, index string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "preprocessed_files.json"), []byte(index), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := export.Volumes(t.Context(), filepath.Join(dir, "nifti"), volumes.Eval(), 0, 1); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestOpenReportsEveryFault(t *testing.T) {
	small := preprocessed(t, `{"file_list": ["case_00000"], "cases": {"case_00000": {"image_shape": [1, 47, 67, 95]}}}`)
	for _, c := range []struct {
		name  string
		o     sdk.Options
		class error
		want  []string
	}{
		{"no data set", sdk.Options{Dataset: t.TempDir()}, sdk.ErrData, []string{"preprocessed_files.pkl", "case_00000"}},
		{"cases missing", sdk.Options{Dataset: published(t)}, sdk.ErrData,
			[]string{"82 faults", "case_00005: image", "case_00006: segmentation"}},
		{"made for other windows", sdk.Options{Dataset: small}, sdk.ErrData,
			[]string{"case 0 (case_00000)", "[47 67 95]", "multiple of 16"}},
		{"too large a count", sdk.Options{Count: 44}, sdk.ErrUsage, []string{"count = 44", "43"}},
		{"too large a count of files", sdk.Options{Dataset: small, Count: 2}, sdk.ErrUsage, []string{"count = 2"}},
		{
			"all at once", sdk.Options{
				Precision: "int4", Dataset: t.TempDir(), Params: map[string]string{"size": "1", "window": "30"},
			}, sdk.ErrUsage,
			[]string{`"int4"`, `"size"`, `"30"`, "preprocessed_files.pkl"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New().Open(t.Context(), c.o)
			sdktest.WantError(t, err, c.want...)
			if !errors.Is(err, c.class) {
				t.Errorf("error %q, want one of class %v", err, c.class)
			}
		})
	}
}

func TestWindows(t *testing.T) {
	for _, text := range []string{"", "0", "-32", "30", "516", "x", "4"} {
		p := option.NewParams(map[string]string{"window": text})
		readWindow(p)
		sdktest.WantError(t, p.Err(), fmt.Sprintf("window = %q: want a multiple of 4 from 8 to 512", text))
	}
	if b := official(t, map[string]string{"window": "48"}); b.Sliding.Window() != 48 {
		t.Errorf("window %d, want 48", b.Sliding.Window())
	}
}

func TestScorer(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Dataset: published(t), Count: 2, Params: map[string]string{"window": "32"},
	})
	if err != nil {
		t.Fatal(err)
	}
	b := official(t, map[string]string{"window": "32"})
	first, err := b.readLabels(drawnCases{volumes.Eval()}, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := b.readLabels(drawnCases{volumes.Eval()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(mllog.AccuracyEntry{SeqID: 3, QSLIndex: 0, Data: first[1:]}); !errors.Is(err, dice.ErrPayload) ||
		!errors.Is(err, sdk.ErrData) {
		t.Errorf("a payload that is short: %v", err)
	}
	if err := errors.Join(s.Add(mllog.AccuracyEntry{QSLIndex: 0, Data: first}),
		s.Add(mllog.AccuracyEntry{QSLIndex: 1, Data: make([]byte, len(second))})); err != nil {
		t.Fatal(err)
	}
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if m := got.Metrics; len(m) != 3 || m[0].Name != "DICE" || m[0].Value < 0.5 || m[0].Value > 0.500001 ||
		got.Samples != 2 || !strings.HasPrefix(got.OfficialText, "Accuracy: mean = 0.5000") {
		t.Errorf("got %+v, want one case right and one empty", got)
	}
}

func TestScorerNeedsEveryCase(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 1}); !errors.Is(err, dice.ErrIndex) {
		t.Errorf("got %v, want %v", err, dice.ErrIndex)
	}
	if _, err := s.Result(); !errors.Is(err, dice.ErrNoSamples) || !errors.Is(err, sdk.ErrData) {
		t.Errorf("got %v, want %v", err, dice.ErrNoSamples)
	}
}

func TestOpenScorerReportsEveryFault(t *testing.T) {
	_, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Dataset: t.TempDir(), Params: map[string]string{"dtype": "int4", "size": "1", "window": "1"},
	})
	sdktest.WantError(t, err, `"int4"`, `"size"`, `"1"`, "preprocessed_files.pkl")
}
