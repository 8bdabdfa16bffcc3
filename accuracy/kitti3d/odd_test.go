package kitti3d

import (
	"encoding/binary"
	"math"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// oddCase is a log with values that are NaN, infinite, -0 or below every threshold, with the results of the official
// functions. Its boxes are 4 by 2 by 2 m and parallel to the axes.
type oddCase struct {
	Frames []struct {
		Image int
		Names []string
		Loc   [][3]float32
		Dif   []int
	}
	Rows []oddRow
	Want [3]string // average precisions as printed by Python
}

// oddRow is a row of the log as text, because JSON has no NaN.
type oddRow [rowValues]string

func (r oddRow) payload(t *testing.T) (data []byte) {
	t.Helper()
	for _, text := range r {
		v, err := strconv.ParseFloat(text, 32)
		if err != nil {
			t.Fatal(err)
		}
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
	}
	return data
}

func TestOddValuesScoreAsInTheOfficialScript(t *testing.T) {
	var cases []oddCase
	golden.ReadJSON(t, filepath.Join("testdata", "odd_values.json"), &cases)
	for i, c := range cases {
		var frames []Frame
		for _, f := range c.Frames {
			frame := Frame{Image: f.Image}
			for k, name := range f.Names {
				frame.Objects = append(frame.Objects, TrueObject{
					Name: name, Box: Box{Location: f.Loc[k], Dimensions: [3]float32{4, 2, 2}}, Difficulty: f.Dif[k],
				})
			}
			frames = append(frames, frame)
		}
		s := New(frames)
		for k, r := range c.Rows {
			if err := s.Add(k, r.payload(t)); err != nil {
				t.Fatalf("case %d: %v", i, err)
			}
		}
		r, err := s.Result()
		if err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		for k, want := range c.Want {
			if got := pyfloat.Repr(r.Classes[k]); got != want {
				t.Errorf("case %d, %s: %s, want %s", i, Classes()[k], got, want)
			}
		}
	}
}

func TestRowsThatTheOfficialScriptStopsAt(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, change := range map[string]func(v []float32){
		"class NaN":                           func(v []float32) { v[11] = nan },
		"class infinite":                      func(v []float32) { v[11] = inf },
		"image NaN":                           func(v []float32) { v[13] = nan },
		"image minus infinite":                func(v []float32) { v[13] = -inf },
		"class NaN of a row without a length": func(v []float32) { v[0], v[11] = 0, nan },
		"image NaN of a row of NaN":           func(v []float32) { v[0], v[13] = nan, nan },
	} {
		v := []float32{4, 2, 2, 1, 2, 10, 0, 0, 0, 10, 10, 1, .5, 7}
		change(v)
		if err := New([]Frame{{Image: 7}}).Add(0, floats(v)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	for name, v := range map[string][]float32{ // Python's int truncates fractions
		"class -0.5": {4, 2, 2, 1, 2, 10, 0, 0, 0, 10, 10, -.5, .5, 7},
		"image 7.9":  {4, 2, 2, 1, 2, 10, 0, 0, 0, 10, 10, 1, .5, 7.9},
	} {
		s := New([]Frame{{Image: 7}})
		if err := s.Add(0, floats(v)); err != nil || len(s.found[7]) != 1 {
			t.Errorf("%s: %v, %d rows", name, err, len(s.found[7]))
		}
	}
}

func floats(values []float32) (data []byte) {
	for _, v := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
	}
	return data
}
