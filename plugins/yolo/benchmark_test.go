package yolo

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/plugins/internal/pictures"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
	"github.com/plumbline-ml/plumbline/sdk/sdktest"
)

func TestBenchmark(t *testing.T) { manifesttest.Run(t, New()) }

func TestModels(t *testing.T) {
	var names []string
	for _, m := range New().Describe().Models {
		names = append(names, m.Name)
		if m.LoadGenKey != "yolo" || slices.Contains(m.Scenarios, loadgen.Server) || len(m.Scenarios) != 3 {
			t.Errorf("%s: LoadGen key %q, scenarios %v", m.Name, m.LoadGenKey, m.Scenarios)
		}
	}
	if want := []string{"yolo-95", "yolo-99"}; !slices.Equal(names, want) {
		t.Errorf("models %v, want %v", names, want)
	}
}

// TestGoldenScores scores the official script's cases. Where it stops, for no picture has a detection, the mAP is 0.
func TestGoldenScores(t *testing.T) {
	golden.Each(t, "vision/yolo/scores/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Stdout []string
			Stats  map[string]float64
			Error  string
		}
		golden.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Model: "yolo-99", Dataset: dir})
		if err != nil {
			t.Fatal(err)
		}
		got := sdktest.Score(t, s, filepath.Join(dir, "mlperf_log_accuracy.json"))
		if got.Metrics[0].Value != 100*want.Stats["AP"] {
			t.Errorf("mAP %v, want %v", got.Metrics[0].Value, 100*want.Stats["AP"])
		}
		for line := range strings.Lines(got.OfficialText) {
			if want.Error == "" && !slices.Contains(want.Stdout, strings.TrimSuffix(line, "\n")) {
				t.Errorf("line %q is not one of\n%s", line, strings.Join(want.Stdout, "\n"))
			}
		}
	})
}

// TestNoBoxAtAll: the official script stops.
func TestNoBoxAtAll(t *testing.T) {
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{Count: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if err := s.Add(mllog.AccuracyEntry{QSLIndex: uint64(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Result(); err != nil || got.Metrics[0].Value != 0 ||
		!strings.Contains(strings.Join(got.Notes, "\n"), "2 samples without any detection") {
		t.Errorf("%+v, %v; want mAP 0 and a note", got, err)
	}
}

func blackPNG(t *testing.T, w, h int) string {
	t.Helper()
	var text strings.Builder
	if err := png.Encode(&text, image.NewGray(image.Rect(0, 0, w, h))); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// cocoFolder is a folder with COCOLabels's annotations of black pictures. Sizes are by name; those called missing get
// no file.
func cocoFolder(t *testing.T, folder string, sizes map[string][2]int, licence func(i int) any) string {
	t.Helper()
	dir := t.TempDir()
	var images []map[string]any
	for i, name := range slices.Sorted(maps.Keys(sizes)) {
		size := sizes[name]
		im := map[string]any{"id": 10 + i, "file_name": name, "width": size[0], "height": size[1]}
		if licence != nil {
			if l := licence(i); l != nil {
				im["license"] = l
			}
		}
		images = append(images, im)
		if !strings.HasPrefix(name, "missing") {
			write(t, filepath.Join(dir, folder, name), blackPNG(t, size[0], size[1]), nil)
		}
	}
	text, err := json.Marshal(map[string]any{
		"images": images, "categories": []any{map[string]any{"id": 1, "name": "person"}},
		"licenses": []any{
			map[string]any{"id": 1, "url": "http://creativecommons.org/licenses/by-nc/2.0/"},
			map[string]any{"id": 4, "url": "http://creativecommons.org/licenses/by/2.0/"},
		},
		"annotations": []any{
			map[string]any{"id": 1, "image_id": 10, "category_id": 1, "bbox": []int{0, 0, 1, 1}, "area": 1},
		},
	})
	write(t, filepath.Join(dir, "annotations", "instances_val2017.json"), string(text), err)
	return dir
}

func write(t *testing.T, path, text string, err error) {
	t.Helper()
	err = errors.Join(err, os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600))
	if err != nil {
		t.Fatal(err)
	}
}

// openData opens yolo-99 on a folder, for a file that tells nothing of its tensors.
func openData(t *testing.T, dir string, params map[string]string) (sdk.Workload, error) {
	t.Helper()
	return New().Open(t.Context(), sdk.Options{
		Model: "yolo-99", ModelFile: manifesttest.ModelFile(t), Dataset: dir, Params: params,
	})
}

func TestLongPictures(t *testing.T) {
	sizes := map[string][2]int{"a.png": {1, 1000}, "b.png": {1000, 1}, "c.png": {1, 1}, "d.png": {640, 480}}
	dir := cocoFolder(t, "val2017_safe", sizes, nil)
	for shape, want := range map[string][][3]int64{
		"fixed": {{3, 640, 640}, {3, 640, 640}, {3, 640, 640}, {3, 640, 640}},
		"rect":  {{3, 640, 32}, {3, 32, 640}, {3, 640, 640}, {3, 480, 640}},
	} {
		w, err := openData(t, dir, map[string]string{"shape": shape})
		if err != nil {
			t.Fatal(err)
		}
		for i := range w.Len() {
			s, err := w.Load(t.Context(), i)
			if err != nil {
				t.Fatal(err)
			}
			if p := s.(*pictures.PictureSample); p.Dims != want[i] || int64(len(p.Data)) != 4*want[i][0]*want[i][1]*want[i][2] {
				t.Errorf("%s, picture %d: %v, %d bytes; want %v", shape, i, p.Dims, len(p.Data), want[i])
			}
		}
	}
}

func TestBadPictures(t *testing.T) {
	dir := cocoFolder(t, "val2017_safe", map[string][2]int{"a.png": {8, 8}, "b.png": {8, 6}, "c.png": {9, 9}}, nil)
	write(t, filepath.Join(dir, "val2017_safe", "a.png"), "no picture", nil)
	write(t, filepath.Join(dir, "val2017_safe", "b.png"), "\x89PNG\r\n\x1a\n", nil)
	write(t, filepath.Join(dir, "val2017_safe", "c.png"), blackPNG(t, 4, 4), nil)
	_, err := openData(t, dir, nil)
	sdktest.WantError(t, err, `"a.png"`, `"b.png"`, "truncated", `"c.png"`, "4 x 4 pixels, want 9 x 9")
	if !errors.Is(err, sdk.ErrData) {
		t.Errorf("%v is not %v", err, sdk.ErrData)
	}
}

// TestTurnedPictureIsTold: the sides are exchanged in the annotations.
func TestTurnedPictureIsTold(t *testing.T) {
	dir := cocoFolder(t, "val2017_safe", map[string][2]int{"a.png": {8, 6}, "b.png": {8, 6}}, nil)
	write(t, filepath.Join(dir, "val2017_safe", "b.png"), blackPNG(t, 6, 8), nil)
	w, err := openData(t, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	said, stderr, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stderr
	os.Stderr = stderr
	for i := range w.Len() {
		_, errLoad := w.Load(t.Context(), i)
		err = errors.Join(err, errLoad)
	}
	os.Stderr = old
	if err := errors.Join(err, stderr.Close()); err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(said)
	if want := "sample 1 (b.png): 6 x 8 pixels where the data set says 8 x 6"; err != nil ||
		!strings.Contains(string(text), want) || strings.Contains(string(text), "sample 0") {
		t.Errorf("%q, %v; want %q", text, err, want)
	}
}

// TestWholeFileBesideTheSubset: annotations of all of COCOLabels where only some pictures are.
func TestWholeFileBesideTheSubset(t *testing.T) {
	sizes := map[string][2]int{"missing1.png": {8, 8}, "missing2.png": {8, 8}, "there.png": {8, 8}}
	dir := cocoFolder(t, "val2017_safe", sizes, nil)
	_, err := openData(t, dir, nil)
	sdktest.WantError(t, err, "2 of its 3 images have no picture", "samples=present", "missing1.png", "missing2.png")
	w, err := openData(t, dir, map[string]string{"samples": "present"})
	if err != nil || w.Len() != 1 {
		t.Fatalf("%v, want the one picture that is there", err)
	}
	s, err := New().OpenScorer(t.Context(), sdk.ScoreOptions{
		Model: "yolo-99", Dataset: dir, Params: map[string]string{"samples": "present"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(mllog.AccuracyEntry{QSLIndex: 1}); err == nil {
		t.Error("the scorer knows a second sample")
	}
}

func TestConvert(t *testing.T) {
	sizes := map[string][2]int{}
	for i := range 6 {
		sizes[fmt.Sprintf("%d.png", i)] = [2]int{8 + i, 8}
	}
	in, out := cocoFolder(t, "val2017", sizes, func(i int) any { return []int{4, 1, 99}[i%3] }), t.TempDir()
	done, err := convertSafe(t.Context(), sdk.DatasetRequest{Input: in, Output: out}, func(string) {})
	if err != nil || done != "2 of 6 pictures and their 1 annotations have safe licences" {
		t.Fatalf("%q, %v", done, err)
	}
	w, err := openData(t, out, nil)
	if err != nil || w.Len() != 2 {
		t.Fatalf("%v, want the two pictures of licence 4", err)
	}
	// As the official scripts leave it: the subset beside the whole.
	text, errRead := os.ReadFile(filepath.Join(out, filepath.FromSlash(annotationFile)))
	write(t, filepath.Join(in, "annotations", "instances_val2017_safe.json"), string(text), errRead)
	if w, err = openData(t, in, nil); err != nil || w.Len() != 2 {
		t.Errorf("%v, want the two pictures of the safe file", err)
	}
}

func TestConvertReportsEveryFault(t *testing.T) {
	sizes := map[string][2]int{"a.png": {8, 8}, "missing1.png": {8, 8}, "missing2.png": {8, 8}}
	in := cocoFolder(t, "val2017", sizes, func(int) any { return 4 })
	request := func(in string) error {
		_, err := convertSafe(t.Context(), sdk.DatasetRequest{Input: in, Output: t.TempDir()}, func(string) {})
		if !errors.Is(err, sdk.ErrData) {
			t.Errorf("%v is not %v", err, sdk.ErrData)
		}
		return err
	}
	sdktest.WantError(t, request(in), "missing1.png", "missing2.png")
	sdktest.WantError(t, request(cocoFolder(t, "val2017", sizes, nil)), "id 10 has no license", "id 12 has no license")
	unsafe := cocoFolder(t, "val2017", sizes, func(int) any { return 1 })
	sdktest.WantError(t, request(unsafe), "none of its 3 images has a safe licence")
	write(t, filepath.Join(unsafe, "annotations", "instances_val2017.json"), `{"images": [{"id": 1`, nil)
	sdktest.WantError(t, request(unsafe), "truncated")
	sdktest.WantError(t, request(t.TempDir()), "instances_val2017.json")
}
