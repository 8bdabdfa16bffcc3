package dice

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// goldenHeads contains the input of the official script and its output or the reason why it stopped.
type goldenHeads struct {
	Padded [3]int `json:"padded_shape"`
	DType  string `json:"output_dtype"`
	Cases  []struct {
		Name string
		Raw  [3]int
		Box  [3][2]int `json:"crop_bbox"`
		Size [3]int    `json:"size_after_cropping"`
	}
	Line  []string
	CSV   []string `json:"summary_csv"`
	Error string
}

// TestGoldenBraTS compares scores of logs with the official script's. If that script stops, an error explains why,
// except that a head which fills an axis of the output has a score.
func TestGoldenBraTS(t *testing.T) {
	golden.Each(t, "vision/brats/logs/*/expected.json", func(t *testing.T, path string) {
		var want goldenHeads
		golden.ReadJSON(t, path, &want)
		result, err := scoreGolden(t, filepath.Dir(path), &want)
		if strings.Contains(want.Error, "cannot convert float NaN") {
			if err != nil || len(result.Unpadded) == 0 || math.IsNaN(result.Mean) {
				t.Errorf("%v, unpadded %v, mean %v", err, result.Unpadded, result.Mean)
			}
			return
		}
		if want.Error != "" {
			if !errors.Is(err, ErrPayload) && !errors.Is(err, ErrIndex) && !errors.Is(err, ErrLog) {
				t.Errorf("error %v where the official script says %s", err, want.Error)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := result.String(); got != want.Line[0] {
			t.Errorf("printed %s\nwant    %s", got, want.Line[0])
		}
		if got := strings.Split(strings.TrimSpace(result.CSV()), "\n"); !slices.Equal(got, want.CSV) {
			t.Errorf("table\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want.CSV, "\n"))
		}
	})
}

func scoreGolden(t *testing.T, dir string, want *goldenHeads) (HeadResult, error) {
	t.Helper()
	d, err := HeadDTypes().Parse(want.DType)
	if err != nil {
		t.Fatal(err)
	}
	var heads []Head
	for _, c := range want.Cases {
		heads = append(heads, Head{Name: c.Name, Raw: c.Raw,
			Box:    func() ([3]int, [3]int, error) { return [3]int{c.Box[0][0], c.Box[1][0], c.Box[2][0]}, c.Size, nil },
			Labels: func() ([]uint8, error) { return fileLabels(filepath.Join(dir, "labelsTr", c.Name+".nii.gz")) },
		})
	}
	s, err := NewHeads(heads, HeadOptions{d, want.Padded})
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct {
		Index uint64 `json:"qsl_idx"`
		Data  string
	}
	golden.ReadJSON(t, filepath.Join(dir, "mlperf_log_accuracy.json"), &entries)
	for _, e := range entries {
		data, err := hex.DecodeString(e.Data)
		if err == nil {
			err = s.Add(e.Index, data)
		}
		if err != nil {
			return HeadResult{}, err
		}
	}
	return s.Result()
}

// fileLabels returns the voxels of a NIfTI file of uint8 elements in the file's order.
func fileLabels(path string) ([]uint8, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	unpacked, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	data, err = io.ReadAll(unpacked)
	if err != nil {
		return nil, err
	}
	return data[int(math.Float32frombits(binary.LittleEndian.Uint32(data[108:]))):], nil
}

// logits returns the logits of a 2 by 2 by 3 volume padded to 3 by 2 by 4. The voxels of the box have the given
// classes.
func logits(d accuracy.DType, classes [12]uint8) []byte {
	values := make([]float64, 4*24)
	for i, class := range classes {
		z, y, x := i/6, i/3%2, i%3
		values[int(class)*24+(z*2+y)*4+x] = 1
	}
	var data []byte
	for _, v := range values {
		switch d {
		case accuracy.Float32:
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(v)))
		case accuracy.Int8:
			data = append(data, byte(v))
		default:
			data = binary.LittleEndian.AppendUint16(data, half.ToFloat16(v))
		}
	}
	return data
}

// oneHead returns a 3 by 3 by 3 volume whose box begins at (1, 0, 0), with its own label at (0, 0, 0).
func oneHead(outside uint8, classes [12]uint8) Head {
	labels := make([]uint8, 27)
	labels[0] = outside
	for i, class := range classes {
		labels[((1+i/6)*3+i/3%2)*3+i%3] = class
	}
	return Head{"head", [3]int{3, 3, 3}, func() (low, size [3]int, err error) {
		return [3]int{1, 0, 0}, [3]int{2, 2, 3}, nil
	}, func() ([]uint8, error) { return labels, nil }}
}

func TestRegionsOfOneHead(t *testing.T) {
	truth := [12]uint8{0, 1, 1, 2, 2, 3}
	for _, d := range []accuracy.DType{accuracy.Official, accuracy.Float32, accuracy.Int8} {
		s, err := NewHeads([]Head{oneHead(3, truth)}, HeadOptions{d, [3]int{3, 2, 4}})
		if err != nil {
			t.Fatal(err)
		}
		found := [12]uint8{1, 1, 0, 2, 1, 3, 3}
		if err := s.Add(0, logits(d, found)); err != nil {
			t.Fatal(err)
		}
		r, err := s.Result()
		if err != nil {
			t.Fatal(err)
		}
		// The tumour has 6 voxels, one of them outside of the box. The prediction has 6 voxels, 4 of them correct.
		want := HeadScore{8. / 12, 4. / 7, 2. / 4}
		if r.Regions != want || s.ScoreOf(0) != want || r.Mean != (want[0]+want[1]+want[2])/3 {
			t.Errorf("%v: %v, want %v", d, r.Regions, want)
		}
		classes, err := s.VoxelClasses(0, logits(d, found))
		if err != nil || classes[9] != 1 || classes[9+3] != 2 || classes[0] != 0 {
			t.Errorf("%v: classes %v, %v", d, classes, err)
		}
		if r.NaNs != 0 || !slices.Equal(r.Unpadded, []string{"head"}) {
			t.Errorf("%d NaN, unpadded %v: the box fills the second axis", r.NaNs, r.Unpadded)
		}
	}
}

// TestARegionThatIsNowhere scores a region that is neither labelled nor predicted and therefore has no score.
func TestARegionThatIsNowhere(t *testing.T) {
	s, err := NewHeads([]Head{oneHead(0, [12]uint8{1, 1})}, HeadOptions{Padded: [3]int{3, 2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(0, logits(accuracy.Float16, [12]uint8{1})); err != nil {
		t.Fatal(err)
	}
	r, err := s.Result()
	if err != nil || !math.IsNaN(r.Mean) || !math.IsNaN(r.Regions[2]) ||
		r.String() != "Accuracy: mean = nan, whole tumor = 0.6667, tumor core = nan, enhancing tumor = nan" {
		t.Errorf("%v, %v", err, r)
	}
	if !strings.Contains(r.CSV(), "mean (nan is 1),0.6667,1.0000,1.0000\nmedian (nan is 1)") ||
		!strings.Contains(r.CSV(), "median,0.6667,nan,nan") {
		t.Errorf("table\n%s", r.CSV())
	}
}

func TestNaNTiesAndInfinities(t *testing.T) {
	f := func(v float64) uint16 { return half.ToFloat16(v) }
	inf, nan := f(math.Inf(1)), uint16(0xfe01) // a negative NaN
	for _, c := range []struct {
		logits [4]uint16
		want   uint8
	}{
		{[4]uint16{f(1), f(1), f(0), f(1)}, 0}, {[4]uint16{f(0), f(-0.5), f(math.Copysign(0, -1)), f(0)}, 0},
		{[4]uint16{f(math.Copysign(0, -1)), 0, 0, 0}, 0}, {[4]uint16{f(-3), f(-2), f(-1), f(-1)}, 2},
		{[4]uint16{f(1), inf, inf, f(9)}, 1}, {[4]uint16{inf, f(1), nan, nan}, 2}, {[4]uint16{f(1e9), f(2e9), f(1), f(1)}, 0},
		{[4]uint16{nan, nan, inf, f(1)}, 0},
	} {
		found, rows, none := make([]uint8, 1), [headClasses][]byte{}, 0
		for class, bits := range c.logits {
			rows[class] = binary.LittleEndian.AppendUint16(nil, bits)
			if bits == nan {
				none = 1
			}
		}
		if nans := argmaxClasses(found, &rows); found[0] != c.want || nans != none {
			t.Errorf("%04x: class %d, want %d; %d NaN", c.logits, found[0], c.want, nans)
		}
	}
	s, err := NewHeads([]Head{oneHead(0, [12]uint8{1})}, HeadOptions{Padded: [3]int{3, 2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	data := logits(accuracy.Float16, [12]uint8{1})
	binary.LittleEndian.PutUint16(data[2*24*3+2:], nan) // class 3 of voxel (0, 0, 1)
	if err := s.Add(0, data); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Result(); err != nil || r.NaNs != 1 || r.Regions[2] != 0 {
		t.Errorf("%v, %+v: want one voxel of class 3 by a NaN", err, r)
	}
}

func TestHeadsThatCannotBeScored(t *testing.T) {
	good := oneHead(0, [12]uint8{1})
	with := func(change func(h *Head)) []Head {
		h := good
		change(&h)
		return []Head{h}
	}
	broken := errors.New("broken")
	for name, c := range map[string]struct {
		heads []Head
		index uint64
		data  []byte
		kind  error
		want  string
	}{
		"index": {[]Head{good}, 1, nil, ErrIndex, "sample 1, want one below 1"},
		"payload": {[]Head{good}, 0, make([]byte, 191), ErrPayload,
			"sample 0 (head): 191 bytes, want 192: 4 logits of [3 2 4]"},
		"no labels": {with(func(h *Head) { h.Labels = func() ([]uint8, error) { return nil, broken } }), 0, make([]byte, 192),
			ErrTruth, "head: broken"},
		"labels of another size": {with(func(h *Head) {
			h.Labels = func() ([]uint8, error) { return make([]uint8, 26), nil }
		}), 0, make([]byte, 192), ErrTruth, "26 labels, want 27"},
		"a label that is no class": {with(func(h *Head) {
			h.Labels = func() ([]uint8, error) { return append(make([]uint8, 26), 4), nil }
		}), 0, make([]byte, 192), ErrTruth, "voxel 26 is 4, want 0 to 3"},
		"no box": {with(func(h *Head) { h.Box = func() (l, s [3]int, err error) { return l, s, broken } }), 0,
			make([]byte, 192), ErrTruth, "head: broken"},
		"too large a box": {with(func(h *Head) {
			h.Box = func() (l, s [3]int, err error) { return l, [3]int{3, 3, 3}, nil }
		}), 0, make([]byte, 192), ErrTruth, "no larger than the network's output of [3 2 4]"},
	} {
		s, err := NewHeads(c.heads, HeadOptions{Padded: [3]int{3, 2, 4}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Add(c.index, c.data); !errors.Is(err, c.kind) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if _, err := s.Result(); !errors.Is(err, ErrNoSamples) {
			t.Errorf("%s: the entry had an effect: %v", name, err)
		}
	}
	for want, o := range map[string]HeadOptions{
		"output of [0 2 4] voxels": {Padded: [3]int{0, 2, 4}}, "unknown payload dtype": {accuracy.UInt8, [3]int{1, 1, 1}},
	} {
		if _, err := NewHeads([]Head{good}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
	if _, err := NewHeads([]Head{{Name: "x"}}, HeadOptions{Padded: [3]int{1, 1, 1}}); !errors.Is(err, ErrTruth) {
		t.Errorf("a head of nothing: %v", err)
	}
	s, err := NewHeads([]Head{good, good}, HeadOptions{Padded: [3]int{3, 2, 4}})
	if err != nil {
		t.Fatal(err)
	}
	data := logits(accuracy.Float16, [12]uint8{1})
	if err := errors.Join(s.Add(0, data), s.Add(0, nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Result(); !errors.Is(err, ErrLog) || !strings.Contains(err.Error(), "case 0 (head) 2 times") ||
		!strings.Contains(err.Error(), "case 1 (head) 0 times") {
		t.Errorf("twice the same: %v", err)
	}
}

// BenchmarkHeads scores a head of the official size. The bytes per second are those of its payload.
func BenchmarkHeads(b *testing.B) {
	padded := [3]int{224, 224, 160}
	h := Head{"head", [3]int{240, 240, 155}, func() (low, size [3]int, err error) {
		return [3]int{40, 30, 5}, [3]int{170, 180, 140}, nil
	}, nil}
	labels := make([]uint8, 240*240*155)
	r := rand.New(rand.NewPCG(1, 1))
	for i := range 200_000 {
		labels[len(labels)/2+i] = uint8(r.IntN(4))
	}
	h.Labels = func() ([]uint8, error) { return labels, nil }
	data := make([]byte, 4*224*224*160*2)
	for i := 0; i < len(data); i += 8 {
		binary.LittleEndian.PutUint64(data[i:], r.Uint64()&^0x4000400040004000)
	}
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := NewHeads([]Head{h}, HeadOptions{Padded: padded})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Add(0, data); err != nil {
			b.Fatal(err)
		}
	}
}
