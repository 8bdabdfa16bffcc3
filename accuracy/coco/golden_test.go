package coco

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// expected contains the arguments and the result of the official script.
type expected struct {
	Args          []string
	Stats         Stats
	PerCategoryAP map[string]float64 `json:"per_category_ap"`
	Images        int                `json:"n_eval_images"`
	Detections    int                `json:"n_detections"`
	MAP           float64            `json:"mAP_percent"`
	StdoutTail    []string           `json:"stdout_tail"`
	ErrorLines    []string           `json:"error_lines"`
}

func TestGoldenCOCO(t *testing.T) { golden.Each(t, "scorers/coco/*/expected.json", checkCase) }
func TestGoldenOpenImages(t *testing.T) {
	golden.Each(t, "scorers/openimages/*/expected.json", checkCase)
}

func checkCase(t *testing.T, path string) {
	var want expected
	golden.ReadJSON(t, path, &want)
	dir := filepath.Dir(path)
	options := EvalOptions{
		InverseMap:  slices.Contains(want.Args, "--use-inv-map"),
		RemoveEmpty: slices.Contains(want.Args, "--remove-48-empty-images"),
	}
	s, err := New(readAnnotations(t, dir), options)
	if err != nil {
		t.Fatal(err)
	}
	golden.AddLog(t, dir, s.Add)
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got.Stats != want.Stats || got.MAP() != want.MAP {
		t.Errorf("got %+v, mAP %v; want %+v, mAP %v", got.Stats, got.MAP(), want.Stats, want.MAP)
	}
	if got.Images != want.Images || got.Detections != want.Detections {
		t.Errorf("%d images, %d detections; want %d, %d", got.Images, got.Detections, want.Images, want.Detections)
	}
	checkCategories(t, got.Categories, want.PerCategoryAP)
	checkText(t, got, want)
}

func checkCategories(t *testing.T, got []CategoryAP, want map[string]float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%d categories, want %d", len(got), len(want))
	}
	for _, c := range got {
		if w, ok := want[strconv.FormatInt(c.ID, 10)]; !ok || c.AP != w {
			t.Errorf("category %d: AP %v, want %v", c.ID, c.AP, w)
		}
	}
}

func checkText(t *testing.T, got DetectionResult, want expected) {
	t.Helper()
	var lines []string // without lines about the duration
	for _, line := range want.StdoutTail {
		if !strings.HasPrefix(line, "DONE") {
			lines = append(lines, line)
		}
	}
	if text := got.Verbose(); text != strings.Join(lines, "\n") {
		t.Errorf("printed\n%s\nwant\n%s", text, strings.Join(lines, "\n"))
	}
	var disagreements []string
	for _, d := range got.Disagreements {
		disagreements = append(disagreements, d.String())
	}
	if !slices.Equal(disagreements, want.ErrorLines) {
		t.Errorf("disagreements %v, want %v", disagreements, want.ErrorLines)
	}
}

// readAnnotations reads the only file below annotations/.
func readAnnotations(t *testing.T, dir string) GroundTruth {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "annotations", "*.json"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("annotation files %v, %v; want one", paths, err)
	}
	var file struct {
		Images      []Image
		Categories  []Category
		Annotations []struct {
			ID       int64
			Image    int64      `json:"image_id"`
			Category int64      `json:"category_id"`
			Box      [4]float64 `json:"bbox"`
			Area     float64
			Crowd    int `json:"iscrowd"`
		}
	}
	golden.ReadJSON(t, paths[0], &file)
	g := GroundTruth{Images: file.Images, Categories: file.Categories}
	for _, a := range file.Annotations {
		g.Annotations = append(g.Annotations, Annotation{a.ID, a.Image, a.Category, a.Box, a.Area, a.Crowd != 0})
	}
	return g
}
