package pictures

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// TestGoldenDistances compares distances with those of the official function, which uses scipy's matrix root.
func TestGoldenDistances(t *testing.T) {
	golden.Each(t, "scorers/fid/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			FID       float64
			Tolerance float64 `json:"relative_tolerance"`
		}
		golden.ReadJSON(t, path, &want)
		if want.Tolerance == 0 {
			want.Tolerance = 1e-7
		}
		dir := filepath.Dir(path)
		real, generated := goldenStatistics(t, dir, "1"), goldenStatistics(t, dir, "2")
		got, err := Distance(real, generated)
		if err != nil || math.Abs(got-want.FID) > want.Tolerance*math.Max(math.Abs(want.FID), 1e-6) {
			t.Errorf("%v, %v; want %v", got, err, want.FID)
		}
		if back, err := Distance(generated, real); err != nil || math.Abs(got-back) > 1e-7*math.Max(got, 1e-6) {
			t.Errorf("the other way %v, %v; want %v", back, err, got)
		}
	})
}

// goldenStatistics returns the statistics of the real pictures of a case ("1") or of the generated ones. They are in
// statistics.npz, as mean and covariance with the float64 features from which they were made, or are computed from
// features.
func goldenStatistics(t *testing.T, dir, which string) *Statistics {
	t.Helper()
	if z, err := zip.OpenReader(filepath.Join(dir, "statistics.npz")); err == nil {
		defer func() { _ = z.Close() }() // it has been read
		if which == "2" {
			return statisticsOf(t, dir, "act2.npy")
		}
		return given(t, member(t, &z.Reader, "mu.npy"), member(t, &z.Reader, "sigma.npy"))
	}
	s := given(t, file(t, dir, "mu"+which+".npy"), file(t, dir, "sigma"+which+".npy"))
	own := statisticsOf(t, dir, "act"+which+".npy")
	const narrowed = 1e-5 // relative error of float32
	checkNear(t, "mean", own.mean, s.mean, narrowed)
	checkNear(t, "covariance", own.covariance.RawSymmetric().Data, s.covariance.RawSymmetric().Data, narrowed)
	return s
}

func given(t *testing.T, mean, covariance []float64) *Statistics {
	t.Helper()
	s, err := NewStatistics(mean, covariance)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func checkNear(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers, want %d", what, len(got), len(want))
	}
	for i := range got {
		if math.Abs(got[i]-want[i]) > tolerance {
			t.Errorf("%s: number %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func member(t *testing.T, z *zip.Reader, name string) []float64 {
	t.Helper()
	f, err := z.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	numbers, _ := elements(t, data)
	return numbers
}

func file(t *testing.T, dir, name string) []float64 {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	numbers, _ := elements(t, data)
	return numbers
}

// elements reads a NumPy array of float32 or float64 and returns the number of elements per row.
func elements(t *testing.T, data []byte) (numbers []float64, width int) {
	t.Helper()
	length := 10 + int(binary.LittleEndian.Uint16(data[8:]))
	header, r := string(data[:length]), bytes.NewReader(data[length:])
	if strings.Contains(header, "<f4") {
		narrow := make([]float32, r.Len()/4)
		err := binary.Read(r, binary.LittleEndian, narrow)
		for _, v := range narrow {
			numbers = append(numbers, float64(v))
		}
		return numbers, width2(t, header, err)
	}
	numbers = make([]float64, r.Len()/8)
	return numbers, width2(t, header, binary.Read(r, binary.LittleEndian, numbers))
}

// width2 returns the second number of a shape, or 1 if there is none.
func width2(t *testing.T, header string, err error) int {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	_, shape, _ := strings.Cut(header, "'shape': (")
	width := 0
	for _, c := range strings.TrimLeft(shape[strings.Index(shape, ",")+1:], " ") {
		if c < '0' || c > '9' {
			break
		}
		width = 10*width + int(c-'0')
	}
	return max(width, 1)
}

func statisticsOf(t *testing.T, dir, name string) *Statistics {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	numbers, width := elements(t, data)
	f := new(FeatureSet)
	row := make([]float32, width)
	for i, v := range numbers {
		row[i%width] = float32(v)
		if i%width == width-1 {
			if err := f.Add(row); err != nil {
				t.Fatal(err)
			}
		}
	}
	s, err := f.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// random returns features of n pictures with width d and a given number of independent directions.
func random(t testing.TB, n, d, directions int, seed uint64) *Statistics {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	f := new(FeatureSet)
	row, source := make([]float32, d), make([]float32, directions)
	for range n {
		for i := range source {
			source[i] = float32(r.NormFloat64())
		}
		for i := range row {
			row[i] = 0.4 + source[i%directions] + 0.3*source[(i*7+1)%directions]
		}
		if err := f.Add(row); err != nil {
			t.Fatal(err)
		}
	}
	s, err := f.Statistics()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestWays compares the two methods for the trace of the root, over more than one block and panel, with each other and
// with a known figure: the distance of features from twice themselves is |m|^2 + tr S.
func TestWays(t *testing.T) {
	a, b := random(t, 300, 140, 140, 1), random(t, 270, 140, 140, 2)
	one, err1 := traceOfRoot(a.covariance, b.covariance)
	two, err2 := traceOfSingular(a.covariance, b.covariance)
	if err1 != nil || err2 != nil || math.Abs(one-two) > 1e-9*one {
		t.Errorf("%v, %v; and %v, %v", one, err1, two, err2)
	}
	twice, want := &Statistics{mean: make([]float64, 140)}, 0.0
	covariance := make([]float64, 0, 140*140)
	for i, m := range a.mean {
		twice.mean[i] = 2 * m
		want += m*m + a.covariance.At(i, i)
		for j := range a.mean {
			covariance = append(covariance, 4*a.covariance.At(i, j))
		}
	}
	twice = given(t, twice.mean, covariance)
	if got, err := Distance(a, twice); err != nil || math.Abs(got-want) > 1e-9*want {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
}

// TestSingular uses fewer pictures than features in both sets. The distance of a set from itself is 0.
func TestSingular(t *testing.T) {
	s := random(t, 20, 50, 5, 3)
	if got, err := Distance(s, s); err != nil || math.Abs(got) > 1e-5 {
		t.Errorf("%v, %v; want 0", got, err)
	}
	zero := given(t, make([]float64, 3), make([]float64, 9))
	if got, err := Distance(zero, zero); err != nil || got != 0 {
		t.Errorf("%v, %v; want 0", got, err)
	}
}

func TestRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		mean, covariance []float64
		want             string
	}{
		{nil, nil, "a mean of 0"}, {[]float64{1, 2}, make([]float64, 3), "covariance of 3"},
		{[]float64{nan}, []float64{1}, "the mean holds"}, {[]float64{0}, []float64{inf}, "the covariance holds"},
		{[]float64{nan}, []float64{nan}, "the covariance holds"},
		{[]float64{0, 0}, []float64{1, 2, 3, 4}, "not symmetric: two numbers differ by 1"},
	} {
		if _, err := NewStatistics(tt.mean, tt.covariance); !errors.Is(err, ErrStatistics) ||
			!strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: error %v, want %q", tt, err, tt.want)
		}
	}
	if _, err := Distance(random(t, 3, 2, 1, 1), random(t, 3, 4, 1, 1)); !errors.Is(err, ErrStatistics) {
		t.Errorf("other widths: %v", err)
	}
	f := new(FeatureSet)
	for _, row := range [][]float32{nil, {float32(nan)}, {float32(inf)}} {
		if err := f.Add(row); !errors.Is(err, ErrFeatures) {
			t.Errorf("%v: %v", row, err)
		}
	}
	if err := errors.Join(f.Add([]float32{1, 2})); err != nil || f.Len() != 1 {
		t.Errorf("%v, %d pictures", err, f.Len())
	}
	if err := f.Add([]float32{1}); !errors.Is(err, ErrFeatures) {
		t.Errorf("another width: %v", err)
	}
	if _, err := f.Statistics(); !errors.Is(err, ErrFeatures) {
		t.Errorf("one picture: %v", err)
	}
}

// BenchmarkOfficialSize compares 5,000 pictures with 2,048 features each with statistics of the same size.
func BenchmarkOfficialSize(b *testing.B) {
	const pictures, width = 5000, 2048
	r := rand.New(rand.NewPCG(5, 1))
	f, row := new(FeatureSet), make([]float32, width)
	for range pictures {
		for i := range row {
			row[i] = float32(math.Abs(r.NormFloat64()))
		}
		if err := f.Add(row); err != nil {
			b.Fatal(err)
		}
	}
	real, err := f.Statistics()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		generated, err := f.Statistics()
		if err != nil {
			b.Fatal(err)
		}
		if _, err := Distance(real, generated); err != nil {
			b.Fatal(err)
		}
	}
}
