package models

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestStreetsNeedPictures scores the embedded models on their own streets in files: with grey pictures, cyclists and
// pedestrians are lost, and cars are not.
func TestStreetsNeedPictures(t *testing.T) {
	slow.Skip(t)
	dir := filepath.Join(t.TempDir(), "streets")
	harness.Run(t, "dataset", "export", "pointpainting", dir).WantCode(t, 0)
	score := func(code int) map[string]float64 {
		t.Helper()
		out := filepath.Join(t.TempDir(), "out")
		harness.Run(t, "run", "pointpainting", "--dataset", dir, "--mode", "accuracy", "--scenario", "SingleStream",
			"--smoke",
			"--out", out).WantCode(t, code)
		var doc results.Document
		testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
		if len(doc.Runs) != 1 || doc.Runs[0].Accuracy == nil {
			t.Fatalf("%+v, want one accuracy run", doc)
		}
		found := map[string]float64{}
		for _, m := range doc.Runs[0].Accuracy.Metrics {
			found[m.Name] = m.Value
		}
		return found
	}
	whole := score(0)
	paths, err := filepath.Glob(filepath.Join(dir, "training", "image_*", "*.jpg"))
	if err != nil || len(paths) != 5*60 {
		t.Fatalf("%d pictures, %v", len(paths), err)
	}
	for _, path := range paths {
		grey(t, path)
	}
	left := score(0)
	for _, class := range []string{"Pedestrian AP", "Cyclist AP"} {
		if whole[class] < 0.5 || left[class] > whole[class]/2 {
			t.Errorf("%s: %v, with grey pictures %v", class, whole[class], left[class])
		}
	}
}

// grey makes all pixels of a JPEG file grey.
func grey(t *testing.T, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size, err := jpeg.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rect(0, 0, size.Width, size.Height))
	draw.Draw(img, img.Rect, image.NewUniform(color.Gray{Y: 128}), image.Point{}, draw.Src)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}
