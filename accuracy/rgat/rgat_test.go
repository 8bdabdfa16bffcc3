package rgat

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// elements returns the elements of a NumPy array.
func elements(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data[10+binary.LittleEndian.Uint16(data[8:]):]
}

// labelsOf returns the classes of the samples in a case.
func labelsOf(t *testing.T, dir, size string) []int {
	t.Helper()
	all := elements(t, filepath.Join(dir, "igbh", size, "processed", "paper", "node_label_2K.npy"))
	var labels []int
	for ids := elements(t, filepath.Join(dir, "val_idx_as_npy.npy")); len(ids) > 0; ids = ids[8:] {
		at := 4 * binary.LittleEndian.Uint64(ids)
		labels = append(labels, int(math.Float32frombits(binary.LittleEndian.Uint32(all[at:]))))
	}
	return labels
}

func TestGoldenScores(t *testing.T) {
	golden.Each(t, "scorers/rgat/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Args struct {
				DType string
				Size  string `json:"dataset_size"`
			}
			Error       string
			Good, Total int
			Accuracy    float64
			Text        string `json:"output_file_text"`
		}
		golden.ReadJSON(t, path, &want)
		f, err := ParseFormat(want.Args.DType)
		if err != nil {
			t.Fatal(err)
		}
		s := New(labelsOf(t, filepath.Dir(path), want.Args.Size), f)
		golden.AddLog(t, filepath.Dir(path), s.Add)
		got, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		if want.Error != "" {
			if got.Unread == 0 || len(got.UnreadErrors) == 0 {
				t.Errorf("%+v, and the official script stops with %q", got, want.Error)
			}
			return
		}
		if got.String() != want.Text || got.Good != want.Good || got.Total != want.Total ||
			math.Abs(got.Accuracy/100-want.Accuracy) > 1e-12 {
			t.Errorf("%v, want %q, %v", got, want.Text, want.Accuracy)
		}
	})
}

func TestFormats(t *testing.T) {
	f32 := func(v float32) string {
		return string(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
	}
	for _, tt := range []struct {
		format, payload string
		good, unread    int
	}{
		{"", "\x07", 1, 0}, {"uint8", "\x07\x09", 1, 0}, {"int32", "\x07\x00\x00\x00", 1, 0}, {"float32", f32(7.9), 1, 0},
		{"float32", f32(-7.9), 0, 0}, {"int64", "\x07\x00\x00\x00\x00\x00\x00\x00", 1, 0}, {"auto", "\x07", 1, 0},
		{"auto", "\x07\x00\x00\x00", 1, 0}, {"auto", "\x07\x00\x00\x00\x00\x00\x00\x00", 1, 0}, {"auto", "\x07\x00", 0, 1},
		{"auto", "", 0, 1}, {"int32", "\x07\x00", 0, 1}, {"", "", 0, 1}, {"float32", f32(float32(math.NaN())), 0, 1},
		{"float32", f32(float32(math.Inf(1))), 0, 1}, {"int32", "\x07\x00\x00\x01", 0, 0},
	} {
		f, err := ParseFormat(tt.format)
		if err != nil {
			t.Fatal(err)
		}
		s := New([]int{7}, f)
		if err := errors.Join(s.Add(0, []byte(tt.payload)), s.Add(0, nil)); err != nil {
			t.Error(err)
		}
		r, err := s.Result()
		if tt.unread == 1 {
			if !errors.Is(err, ErrPayload) || len(s.result.UnreadErrors) != 1 {
				t.Errorf("%s %q: error %v", tt.format, tt.payload, err)
			}
			continue
		}
		if err != nil || r.Good != tt.good || r.Unread != tt.unread || r.Total != 1 || r.Duplicates != 1 ||
			len(r.UnreadErrors) != tt.unread {
			t.Errorf("%s %q: %+v, %v", tt.format, tt.payload, r, err)
		}
	}
	if _, err := ParseFormat("int16"); err == nil || !strings.Contains(err.Error(), "int64, or auto") {
		t.Errorf("error %v", err)
	}
}

func TestRefusals(t *testing.T) {
	s := New([]int{7}, ClassFormat{})
	if err := s.Add(1, []byte{7}); !errors.Is(err, ErrIndex) {
		t.Errorf("error %v", err)
	}
	if _, err := s.Result(); !errors.Is(err, ErrNoSamples) {
		t.Errorf("error %v", err)
	}
}

// FuzzAdd checks that each payload contains a class or is counted as unread.
func FuzzAdd(f *testing.F) {
	f.Add("auto", []byte{1})
	f.Add("float32", []byte{0, 0, 0x80, 0x7f})
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		format, err := ParseFormat(name)
		if err != nil {
			return
		}
		s := New([]int{1}, format)
		if err := s.Add(0, data); err != nil || s.result.Good+s.result.Unread > 1 {
			t.Errorf("%+v, %v", s.result, err)
		}
	})
}
