package coco

import (
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"
)

// scene contains two images of 100 x 200 and 200 x 100 pixels, the categories 3 and 1 in this order, and one box of
// each category in the first image.
func scene() GroundTruth {
	return GroundTruth{
		Images:     []Image{{10, 100, 200}, {4, 200, 100}},
		Categories: []Category{{3, "cat"}, {1, "dog"}},
		Annotations: []Annotation{
			{1, 10, 3, [4]float64{10, 20, 50, 50}, 2500, false},
			{2, 10, 1, [4]float64{0, 100, 20, 20}, 400, false},
		},
	}
}

// records encodes detections: sample, ymin, xmin, ymax, xmax, score, label.
func records(rs ...payloadRow) []byte {
	var b []byte
	for _, r := range rs {
		for _, v := range r {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
		}
	}
	return b
}

var (
	catBox = payloadRow{0, 0.1, 0.1, 0.35, 0.6, 0.9, 3} // exactly the true boxes
	dogBox = payloadRow{0, 0.5, 0, 0.6, 0.2, 0.8, 1}
)

func with(r payloadRow, field int, v float32) payloadRow {
	r[field] = v
	return r
}

type entry struct {
	index   uint64
	payload []byte
}

func score(t *testing.T, g GroundTruth, o EvalOptions, entries ...entry) DetectionResult {
	t.Helper()
	s, err := New(g, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if err := s.Add(e.index, e.payload); err != nil {
			t.Fatal(err)
		}
	}
	r, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestMAP(t *testing.T) {
	tests := []struct {
		name    string
		options EvalOptions
		entries []entry
		want    string
	}{
		{"all found", EvalOptions{}, []entry{{0, records(catBox, dogBox)}}, "mAP=100.000%"},
		{"one category found", EvalOptions{}, []entry{{0, records(dogBox)}}, "mAP=50.000%"},
		{"nothing found", EvalOptions{}, []entry{{0, nil}, {1, nil}}, "mAP=0.000%"},
		{"found in the other image", EvalOptions{}, []entry{{1, records(catBox, dogBox)}, {0, nil}}, "mAP=0.000%"},
		{"nothing to find", EvalOptions{}, []entry{{1, nil}}, "mAP=-100.000%"},
		{"wrong category", EvalOptions{},
			[]entry{{0, records(with(catBox, fieldLabel, 1), with(dogBox, fieldLabel, 3))}}, "mAP=0.000%"},
		{"a better score elsewhere",
			EvalOptions{}, []entry{{0, records(catBox, dogBox)}, {1, records(with(catBox, fieldScore, 1))}}, "mAP=75.000%"},
		{"labels count the categories", EvalOptions{InverseMap: true},
			[]entry{{0, records(with(catBox, fieldLabel, 1), with(dogBox, fieldLabel, 2))}}, "mAP=100.000%"},
		{"labels are truncated", EvalOptions{}, []entry{{0, records(with(catBox, fieldLabel, 3.9), dogBox)}}, "mAP=100.000%"},
		{"first entry kept", EvalOptions{}, []entry{{0, records(catBox, dogBox)}, {0, nil}, {0, []byte{1}}}, "mAP=100.000%"},
		{"only images with annotations", EvalOptions{RemoveEmpty: true}, []entry{{0, records(catBox, dogBox)}},
			"mAP=100.000%"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := score(t, scene(), tt.options, tt.entries...); r.String() != tt.want {
				t.Errorf("got %v, want %s\n%v", r, tt.want, r.Stats)
			}
		})
	}
}

func TestCounts(t *testing.T) {
	r := score(t, scene(), EvalOptions{},
		entry{0, records(catBox, with(dogBox, fieldIndex, 7), with(dogBox, fieldLabel, 99))}, entry{1, nil}, entry{0, nil})
	if r.Entries != 3 || r.Duplicates != 1 || r.Images != 2 || r.Empty != 1 || r.Detections != 3 || r.Unknown != 1 {
		t.Errorf("counts %+v", r)
	}
	if len(r.Disagreements) != 1 || r.Disagreements[0] != (Disagreement{0, 7}) {
		t.Errorf("disagreements %v, want sample 7 in entry 0", r.Disagreements)
	}
	if r.Categories[0].Name != "dog" || r.Categories[1].ID != 3 || r.Categories[1].AP < 0.999 {
		t.Errorf("categories %+v, want dog and cat", r.Categories)
	}
}

// TestResultTwice checks that Result does not change the scorer and that more entries may follow.
func TestResultTwice(t *testing.T) {
	s, err := New(scene(), EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(1, records(with(catBox, fieldIndex, 1))); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if r, err := s.Result(); err != nil || r.AP != -1 || r.Images != 1 {
			t.Errorf("%v, %v; want nothing to find in 1 image", r, err)
		}
	}
	if err := s.Add(0, records(catBox, dogBox)); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Result(); err != nil || r.AP50 != 0.75 {
		t.Errorf("%v, %v; want 0.75", r, err)
	}
}

func TestAddRefuses(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	tests := []struct {
		name    string
		options EvalOptions
		index   uint64
		payload []byte
		kind    error
		want    []string
	}{
		{"index at the end", EvalOptions{}, 2, nil, ErrIndex, []string{"sample 2, want one below 2"}},
		{"index among the empty", EvalOptions{RemoveEmpty: true}, 1, nil, ErrIndex, []string{"want one below 1"}},
		{"half a detection", EvalOptions{}, 0, records(catBox)[:14], ErrPayload, []string{"14 bytes, want a multiple of 28"}},
		{"every fault", EvalOptions{}, 0,
			records(with(catBox, fieldScore, nan), dogBox, with(catBox, fieldXMax, inf),
				with(catBox, fieldLabel, nan)), ErrPayload,
			[]string{"detection 0: score is NaN", "detection 2: xmax is +Inf", "detection 3: label is NaN"}},
		{"label beyond the map",
			EvalOptions{InverseMap: true}, 0, records(with(catBox, fieldLabel, 3)), ErrPayload,
			[]string{"label 3, want 1 to 2"}},
		{"label below the map",
			EvalOptions{InverseMap: true}, 0, records(with(catBox, fieldLabel, -1)), ErrPayload, []string{"label -1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := New(scene(), tt.options)
			if err != nil {
				t.Fatal(err)
			}
			err = s.Add(tt.index, tt.payload)
			if !errors.Is(err, tt.kind) {
				t.Fatalf("error %v, want %v", err, tt.kind)
			}
			for _, w := range tt.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("error %v, want it to say %q", err, w)
				}
			}
			if _, err := s.Result(); !errors.Is(err, ErrNoSamples) {
				t.Errorf("the entry had an effect: %v", err)
			}
		})
	}
}

func TestManyFaultsAreCounted(t *testing.T) {
	s, err := New(scene(), EvalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bad := make([]payloadRow, 23)
	for i := range bad {
		bad[i] = with(catBox, fieldScore, float32(math.NaN()))
	}
	if err := s.Add(0, records(bad...)); err == nil || !strings.HasSuffix(err.Error(), "and 3 more") {
		t.Errorf("error %v, want 20 faults and 3 more", err)
	}
}

func TestNewRefuses(t *testing.T) {
	g := scene()
	g.Images = append(g.Images, Image{10, 0, 5})
	g.Categories = append(g.Categories, Category{1, "wolf"})
	g.Annotations = append(g.Annotations, Annotation{2, 10, 1, [4]float64{1, 2, math.NaN(), 4}, 1, false})
	_, err := New(g, EvalOptions{})
	if !errors.Is(err, ErrTruth) {
		t.Fatalf("error %v, want ErrTruth", err)
	}
	for _, want := range []string{
		"image 2: id 10 is that of image 0 already", "category 2: id 1", "annotation 2: id 2", "0 x 5 pixels", "annotation " +
			"2 (id 2): box [1 2 NaN 4]",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want it to say %q", err, want)
		}
	}
	if _, err := New(GroundTruth{}, EvalOptions{}); !errors.Is(err, ErrTruth) {
		t.Errorf("no images: error %v, want ErrTruth", err)
	}
}

func TestAnnotationsOfOthersHaveNoEffect(t *testing.T) {
	g := scene()
	g.Annotations = append(g.Annotations, Annotation{8, 99, 3, [4]float64{0, 0, 9, 9}, 81, false},
		Annotation{9, 10, 99, [4]float64{0, 0, 9, 9}, 81, false})
	if r := score(t, g, EvalOptions{}, entry{0, records(catBox, dogBox)}); r.AP < 0.999 {
		t.Errorf("AP %v, want 1 but for rounding", r.AP)
	}
}

// FuzzAdd checks that no payload crashes the scorer, that a payload is accepted completely or not at all, and that all
// figures are from 0 to 1.
func FuzzAdd(f *testing.F) {
	f.Add(records(catBox, dogBox), true)
	f.Add(records(with(catBox, fieldScore, float32(math.NaN()))), false)
	f.Add(records(with(catBox, fieldXMax, -3), with(dogBox, fieldLabel, 3e38)), false)
	f.Add([]byte("short"), true)
	f.Fuzz(func(t *testing.T, payload []byte, inverse bool) {
		s, err := New(scene(), EvalOptions{InverseMap: inverse})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(0, payload); err != nil {
			if !errors.Is(err, ErrPayload) || len(s.detections) != 0 || s.result.Detections != 0 {
				t.Fatalf("error %v, %d detections kept", err, len(s.detections))
			}
			return
		}
		r, err := s.Result()
		if err != nil || r.Detections != len(payload)/recordSize {
			t.Fatalf("%d detections of %d bytes, %v", r.Detections, len(payload), err)
		}
		for _, v := range []float64{r.AP, r.AP50, r.AR1, r.AR100, r.APSmall, r.APMedium} {
			if !(v >= 0 && v <= 1) {
				t.Errorf("%v outside of 0 to 1:\n%v", v, r.Stats)
			}
		}
	})
}
