package retinanet

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestScoresOfAnnotationsOfOtherPrograms scores one log against annotations in the forms in which programs write them:
// pycocotools says 37.111 % of each that it takes.
func TestScoresOfAnnotationsOfOtherPrograms(t *testing.T) {
	const want = "37.111"
	annotations, err := os.ReadFile(filepath.Join("testdata", "odd", "instances_val2017.json"))
	if err != nil {
		t.Fatal(err)
	}
	for name, changes := range map[string][][2]string{
		"iscrowd as false and true": nil,
		"iscrowd as 0 and 1":        {{`"iscrowd": false`, `"iscrowd": 0`}, {`"iscrowd": true`, `"iscrowd": 1`}},
		"iscrowd as 0.0 and 1.0":    {{`"iscrowd": false`, `"iscrowd": 0.0`}, {`"iscrowd": true`, `"iscrowd": 1.0`}},
		"no iscrowd but true":       {{`"iscrowd": false, `, ``}},
		"null for no crowd":         {{`"iscrowd": false`, `"iscrowd": null`}},
		"ids as fractions":          {{`("(?:image_|category_)?id"): (\d+)`, `$1: $2.0`}},
		"sizes as fractions":        {{`("width|"height"): (\d+)`, `$1: $2.0`}},
		"ids of images as texts": {{`("image_id"): (\d+)`, `$1: "$2"`},
			{`("id"): (\d+)(, "file_name")`, `$1: "$2"$3`}},
		"ids of annotations as texts": {{`("id"): (\d+)(, "image_id")`, `$1: "$2"$3`}},
		"names for ids of images": {{`("image_id"): (\d+)`, `$1: "p$2"`},
			{`("id"): (\d+)(, "file_name")`, `$1: "p$2"$3`}},
		"ids of categories as texts": {{`("category_id"): (\d+)`, `$1: "$2"`},
			{`("id"): (\d+)(, "name")`, `$1: "$2"$3`}},
		"a byte order mark": {{`^\{`, "\ufeff{"}},
	} {
		text := annotations
		for _, c := range changes {
			changed := regexp.MustCompile(c[0]).ReplaceAll(text, []byte(c[1]))
			if string(changed) == string(text) {
				t.Fatalf("%s: nothing has the form %s", name, c[0])
			}
			text = changed
		}
		if got := fmt.Sprintf("%.3f", scoreOdd(t, text)); got != want {
			t.Errorf("%s: mAP %s %%, want %s %%", name, got, want)
		}
	}
}

// scoreOdd is the mAP of the log against annotations.
func scoreOdd(t *testing.T, annotations []byte) float64 {
	t.Helper()
	dir := t.TempDir()
	log, err := os.ReadFile(filepath.Join("testdata", "odd", "mlperf_log_accuracy.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "annotations"), 0o755); err != nil {
		t.Fatal(err)
	}
	for path, data := range map[string][]byte{
		"mlperf_log_accuracy.json": log, filepath.Join("annotations", "instances_val2017.json"): annotations,
	} {
		if err := os.WriteFile(filepath.Join(dir, path), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return scoreCase(t, dir, "ssd-mobilenet", nil).Metrics[0].Value
}
