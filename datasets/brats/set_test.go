package brats

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/nifti"
	"github.com/plumbline-ml/plumbline/internal/synthetic/export"
	"github.com/plumbline-ml/plumbline/internal/synthetic/volumes"
)

// heads are two drawn heads as published: the second has no enhancing tumour.
func heads(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := export.Heads(t.Context(), dir, volumes.HeadEval(), first, first+2); err != nil {
		t.Fatal(err)
	}
	return dir
}

// first is the index of the first head.
const first = 4

// rename copies published heads to the names of the reference; convert says whether labels are converted.
func rename(t *testing.T, dir string, convert bool) string {
	t.Helper()
	out := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(out, "imagesTr"), 0o777),
		os.Mkdir(filepath.Join(out, "labelsTr"), 0o777)); err != nil {
		t.Fatal(err)
	}
	for i := first; i < first+2; i++ {
		name, head := volumes.HeadEval().Name(i), volumes.HeadEval().Draw(i)
		grade, id, _ := strings.Cut(name, "__")
		for k, channel := range []string{"t1", "t1ce", "t2", "flair"} {
			link(t, filepath.Join(dir, grade, id, id+"_"+channel+".nii.gz"),
				filepath.Join(out, "imagesTr", fmt.Sprintf("%s_%04d.nii.gz", name, k)))
		}
		labels := filepath.Join(out, "labelsTr", name+".nii.gz")
		if convert {
			if err := nifti.WriteVolume(labels, nifti.SimpleITKOrder, head.Shape, [3]float64{1, 1, 1}, head.Labels); err != nil {
				t.Fatal(err)
			}
			continue
		}
		link(t, filepath.Join(dir, grade, id, id+"_seg.nii.gz"), labels)
	}
	link(t, filepath.Join(dir, FoldFile), filepath.Join(out, FoldFile))
	return out
}

func link(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Link(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestHeadsAreReadAsDrawn(t *testing.T) {
	dir := heads(t)
	for _, c := range []struct {
		name, dir string
		o         CaseOptions
	}{
		{"published", dir, CaseOptions{Count: 2}},
		{"renamed", rename(t, dir, true), CaseOptions{Fold: filepath.Join(dir, FoldFile)}},
		{"published labels elsewhere", dir, CaseOptions{Labels: filepath.Join(rename(t, dir, true), "labelsTr")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Open(c.dir, c.o)
			if err != nil {
				t.Fatal(err)
			}
			if s.Len() != 2 || s.Preprocessed() {
				t.Fatalf("%d cases, preprocessed %t", s.Len(), s.Preprocessed())
			}
			for i := range s.Len() {
				want := volumes.HeadEval().Draw(first + i)
				channels, err := s.Read(i)
				if err != nil {
					t.Fatal(err)
				}
				for k := range want.Channels {
					if !slices.Equal(channels[k], want.Channels[k]) {
						t.Errorf("%s: channel %d differs", s.Name(i), k)
					}
				}
				if labels, err := s.Labels(i); err != nil || !bytes.Equal(labels, want.Labels) ||
					s.Shape(i) != want.Shape || s.Name(i) != volumes.HeadEval().Name(first+i) {
					t.Errorf("%s, shape %v: labels differ, %v", s.Name(i), s.Shape(i), err)
				}
			}
			if err := s.CheckAmbiguity(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPublishedLabelsInTheFolderOfConvertedOnes: those with a 4 are converted; one without 3 and 4 is in doubt.
func TestPublishedLabelsInTheFolderOfConvertedOnes(t *testing.T) {
	s, err := Open(rename(t, heads(t), false), CaseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if labels, err := s.Labels(0); err != nil || !bytes.Equal(labels, volumes.HeadEval().Draw(first).Labels) {
		t.Errorf("%s: labels differ, %v", s.Name(0), err)
	}
	if err := s.CheckAmbiguity(); err != nil {
		t.Error(err)
	}
	if _, err := s.Labels(1); err != nil {
		t.Fatal(err)
	}
	if err := s.CheckAmbiguity(); !errors.Is(err, ErrDataset) ||
		!strings.Contains(err.Error(), "LGG__Plumbline_005 have neither 3") {
		t.Errorf("labels of both kinds: %v", err)
	}
}

func TestTheBenchmarksCases(t *testing.T) {
	names := CaseNames()
	if len(names) != 67 || names[0] != "HGG__BraTS19_2013_13_1" || names[52] != "HGG__BraTS19_TMC_30014_1" ||
		names[66] != "LGG__BraTS19_TCIA13_630_1" {
		t.Errorf("%d cases, %q", len(names), names)
	}
	for _, name := range names {
		if !isCaseName(name) {
			t.Errorf("%q is no name", name)
		}
	}
	dir := heads(t)
	if err := os.Remove(filepath.Join(dir, FoldFile)); err != nil {
		t.Fatal(err)
	}
	_, err := Open(dir, CaseOptions{})
	var faults *FaultError
	if !errors.As(err, &faults) || len(faults.Faults) != 67*5 || !errors.Is(err, ErrDataset) ||
		!strings.Contains(err.Error(), "HGG__BraTS19_2013_13_1: channel 0") {
		t.Errorf("drawn heads without their list: %v", err)
	}
}

// TestBadVolumes spoils one head in each way, and all at once.
func TestBadVolumes(t *testing.T) {
	dir := heads(t)
	shape := volumes.HeadEval().Size(first)
	base := filepath.Join(dir, "HGG", "Plumbline_004", "Plumbline_004")
	write := func(name string, shape [3]int, spacing float64, labels ...uint8) {
		t.Helper()
		values := make([]uint8, shape[0]*shape[1]*shape[2])
		copy(values, labels)
		if err := nifti.WriteVolume(base+name, nifti.SimpleITKOrder, shape, [3]float64{spacing, 1, 1}, values); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(base + "_t1ce.nii.gz"); err != nil {
		t.Fatal(err)
	}
	write("_t2.nii.gz", [3]int{shape[0] + 1, shape[1], shape[2]}, 1)
	write("_flair.nii.gz", shape, 1.1)
	write("_seg.nii.gz", [3]int{3, 3, 3}, 1)
	_, err := Open(dir, CaseOptions{Count: 1})
	for _, want := range []string{
		"4 faults", "HGG__Plumbline_004: channel 1: ", "no such file", "channel 2: shape", "as the other channels have",
		"channel 3: spacing [1.1", "want 1 mm: volumes are not resampled",
		fmt.Sprintf("labels: shape [3 3 3], want %v", shape),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	link(t, filepath.Join(dir, "HGG", "Plumbline_004", "Plumbline_004_t1.nii.gz"), base+"_t1ce.nii.gz")
	write("_t2.nii.gz", shape, 1)
	write("_flair.nii.gz", shape, 1.01) // too near to change a size
	for want, labels := range map[string][]uint8{
		"labels 3 and 4": {3, 4}, "is 5, want a class": {5},
	} {
		write("_seg.nii.gz", shape, 1, labels...)
		s, err := Open(dir, CaseOptions{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Labels(0); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "HGG__Plumbline_004") {
			t.Errorf("labels %v: %v, want %q", labels, err, want)
		}
	}
	write("_seg.nii.gz", shape, 1, 3, 1) // converted where published ones are
	s, err := Open(dir, CaseOptions{Count: 1})
	if err != nil {
		t.Fatal(err)
	}
	if labels, err := s.Labels(0); err != nil || labels[0] != 3 || labels[1] != 1 {
		t.Errorf("converted labels: %v, %v", labels[:2], err)
	}
}

func TestBadFolds(t *testing.T) {
	dir := heads(t)
	for text, want := range map[string]string{
		"": "it names no case", "\n HGG__a \nHGG__b\nHGG__a": "line 4: HGG__a is there twice",
		"Brats_1":      `"Brats_1", want HGG__CASE`,
		"HGG__../../x": "want HGG__CASE", "HGG__": "want HGG__CASE", `LGG__a\b`: "want HGG__CASE",
	} {
		path := filepath.Join(t.TempDir(), "fold.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, CaseOptions{Fold: path}); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), want) {
			t.Errorf("fold %q: %v, want %q", text, err, want)
		}
	}
	for _, missing := range []string{t.TempDir(), filepath.Join(dir, FoldFile), filepath.Join(dir, "none")} {
		if _, err := Open(missing, CaseOptions{}); !errors.Is(err, ErrDataset) {
			t.Errorf("%s: %v", missing, err)
		}
	}
	if _, err := Open(dir, CaseOptions{Fold: filepath.Join(dir, "none")}); !errors.Is(err, ErrDataset) {
		t.Errorf("no list: %v", err)
	}
}

func FuzzFold(f *testing.F) {
	f.Add("HGG__a\nLGG__b\n")
	f.Add("HGG__/\n\n")
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "fold.txt")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		names, err := readFold(path)
		if err == nil && (len(names) == 0 || slices.ContainsFunc(names, func(n string) bool { return !isCaseName(n) })) {
			t.Errorf("names %q", names)
		}
	})
}
