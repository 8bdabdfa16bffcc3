package kits19

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenPreprocessed reads the segmentations of the scorers' cases, whose images do not
// exist, by the pickled index.
func TestGoldenPreprocessed(t *testing.T) {
	golden.Each(t, "scorers/kits19/*/preprocessed_data/preprocessed_files.pkl", func(t *testing.T, path string) {
		dir := filepath.Dir(path)
		var want caseIndex
		golden.ReadJSON(t, filepath.Join(dir, "preprocessed_files.json"), &want)
		s, err := Open(dir, CaseOptions{LabelsOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != len(want.Names) || !s.Preprocessed() {
			t.Fatalf("%d cases, want %d", s.Len(), len(want.Names))
		}
		for i, name := range want.Names {
			shape := s.Shape(i)
			if s.Name(i) != name || !slices.Equal(shape[:], want.Cases[name].Shape[1:]) {
				t.Errorf("case %d: %s of shape %v, want %s of %v", i, s.Name(i), shape, name, want.Cases[name].Shape)
			}
			labels, err := s.Labels(i)
			if twin := twinOf(t, filepath.Join(dir, name+"_gt.npy")); err != nil || !bytes.Equal(labels, twin) {
				t.Errorf("%s: labels differ from their twin: %v", name, err)
			}
		}
	})
}

// twinOf is the content of a NumPy file of version 1 with uint8 in C order.
func twinOf(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data[10+binary.LittleEndian.Uint16(data[8:]):]
}

// TestGoldenPublished reads the volumes of the preprocessing's cases as they were published.
func TestGoldenPublished(t *testing.T) {
	golden.Each(t, "preprocess/kits19/expected.json", func(t *testing.T, path string) {
		var all map[string]any
		golden.ReadJSON(t, path, &all)
		var names []string
		for name := range all {
			if strings.HasPrefix(name, "case_") {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		s, err := Open(filepath.Dir(path), CaseOptions{Cases: names})
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range names {
			v, err := s.Image(i)
			if err != nil {
				t.Fatal(err)
			}
			spacing := all[name].(map[string]any)["pixdim_read"].([]any)
			for axis := range spacing {
				if v.Spacing[axis] != spacing[axis].(float64) {
					t.Errorf("%s: spacing %v, want %v", name, v.Spacing, spacing)
				}
			}
			if labels, err := s.Labels(i); err != nil || len(labels) != len(v.Values) {
				t.Errorf("%s: %d labels of %d voxels, %v", name, len(labels), len(v.Values), err)
			}
		}
	})
}
