package unet3d

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/datasets/kits19"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

// TestGoldenScores scores the official script's cases as `harness score` does: a preprocessed data set, a log, a dtype.
func TestGoldenScores(t *testing.T) {
	golden.Each(t, "scorers/kits19/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Args struct {
				DType string `json:"output_dtype"`
			}
			Rows   map[string]struct{ Kidney, Tumor, Composite float64 }
			Stdout string
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
			Dataset: filepath.Join(dir, "preprocessed_data"), Params: map[string]string{"dtype": want.Args.DType},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		mean := want.Rows["mean"]
		if m := got.Metrics; m[0].Value != mean.Composite || m[1].Value != mean.Kidney || m[2].Value != mean.Tumor ||
			got.OfficialText != want.Stdout {
			t.Errorf("got %v and %q, want %+v and %q", m, got.OfficialText, mean, want.Stdout)
		}
		if got.Samples != len(want.Rows)-1 {
			t.Errorf("%d samples, want %d", got.Samples, len(want.Rows)-1)
		}
	})
}

// TestGoldenVolumes prepares published volumes as a run does: read from NIfTI, resampled, normalised and
// fitted to windows of 128.
func TestGoldenVolumes(t *testing.T) {
	type array struct {
		Shape []int
		SHA   string `json:"sha256"`
	}
	golden.Each(t, "preprocess/kits19/expected.json", func(t *testing.T, path string) {
		var all map[string]json.RawMessage
		golden.ReadJSON(t, path, &all)
		var names []string
		for name := range all {
			if strings.HasPrefix(name, "case_") {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		set, err := kits19.Open(filepath.Dir(path), kits19.CaseOptions{Cases: names})
		if err != nil {
			t.Fatal(err)
		}
		b := official(t, nil)
		for i, name := range names {
			var want struct {
				Image  array `json:"final_image_f32"`
				Labels array `json:"final_label_u8"`
			}
			if err := json.Unmarshal(all[name], &want); err != nil {
				t.Fatal(err)
			}
			image, shape, err := b.readImage(fileCases{set}, i)
			if err != nil {
				t.Fatal(err)
			}
			labels, err := b.readLabels(fileCases{set}, i)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(shape[:], want.Image.Shape[1:]) || digest(backend.Bytes(image)) != want.Image.SHA ||
				digest(labels) != want.Labels.SHA {
				t.Errorf("%s: shape %v, want %v, or other voxels or labels", name, shape, want.Image.Shape)
			}
			if foretold, err := b.preparedShape(fileCases{set}, i); err != nil || foretold != shape {
				t.Errorf("%s: shape %v foretold, is %v; %v", name, foretold, shape, err)
			}
		}
	})
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// official is bound with the parameters of the official model, and those given.
func official(t *testing.T, params map[string]string) windowBinding {
	t.Helper()
	p := manifesttest.Params(t, New(), "", false, params)
	b := readWindow(p)
	if err := p.Err(); err != nil {
		t.Fatal(err)
	}
	return b
}
