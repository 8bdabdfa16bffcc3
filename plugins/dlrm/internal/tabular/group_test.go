package tabular

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/mt19937"
)

func sizes(bounds []int) []int {
	s := make([]int, len(bounds)-1)
	for i := range s {
		s[i] = bounds[i+1] - bounds[i]
	}
	return s
}

// TestGroupIsTheReferences holds the first hundred sizes of the official seed against those that the reference
// publishes to verify a generator by.
func TestGroupIsTheReferences(t *testing.T) {
	const published = `
		2 2 2 2 5 7 2 1 1 5 3 2 1 3 1 3 7 3 2 1 4 2 5 2 2 2 2 3 4 2 2 2 2 1 2 1 2 2 2 2 2 1 2 2 2 2 6 2 3 2
		2 2 2 7 4 2 3 2 2 2 1 2 2 6 5 2 6 5 1 7 2 2 4 5 2 2 2 2 2 2 2 2 2 7 2 2 3 2 7 2 2 2 5 3 2 2 2 1 3 2`
	bounds, err := GroupPairs(1<<20, OfficialQuantiles(), OfficialSeed)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(published)
	for i, size := range sizes(bounds)[:len(want)] {
		if size != 100*int(want[i][0]-'0') {
			t.Fatalf("sample %d has %d pairs, want %s00", i, size, want[i])
		}
	}
}

func TestOfficialQuantilesHave270PairsOnAverage(t *testing.T) {
	q, sum := OfficialQuantiles(), 0
	for _, size := range q {
		sum += size
	}
	if q.Check() != nil || sum != 270*len(q) {
		t.Errorf("%v: %v, average %d", q, q.Check(), sum/len(q))
	}
}

// TestBelowIsNumpys compares with numpy.random.seed(S); [numpy.random.randint(0, N) for _ in range(12)].
func TestBelowIsNumpys(t *testing.T) {
	tests := []struct {
		seed uint32
		n    int
		want []int
	}{
		{123, 20, []int{13, 2, 2, 6, 17, 19, 10, 1, 0, 17, 15, 9}},
		{0, 1, []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{5489, 1000, []int{860, 758, 750, 889, 300, 991, 5, 993, 954, 299, 99, 549}},
		{4294967295, 1 << 31, []int{419326371, 479346978}},
	}
	for _, tt := range tests {
		m := mt19937.New(tt.seed)
		for i, want := range tt.want {
			if got := drawBelow(m, tt.n); got != want {
				t.Errorf("seed %d: number %d below %d is %d, want %d", tt.seed, i, tt.n, got, want)
			}
		}
	}
}

func TestCutsTheLastSample(t *testing.T) {
	tests := []struct {
		pairs, size int
		want        []int
	}{
		{10, 4, []int{4, 4, 2}},
		{8, 4, []int{4, 4}},
		{1, 100, []int{1}},
	}
	for _, tt := range tests {
		equal, err1 := GroupEqually(tt.pairs, tt.size)
		drawn, err2 := GroupPairs(tt.pairs, Quantiles{tt.size}, 1)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(sizes(equal), tt.want) || !slices.Equal(drawn, equal) {
			t.Errorf("%d pairs by %d: %v and %v, want %v", tt.pairs, tt.size, sizes(equal), sizes(drawn), tt.want)
		}
	}
}

func TestGroupRefuses(t *testing.T) {
	tests := []struct {
		name  string
		pairs int
		q     Quantiles
		want  []string
	}{
		{"no pairs", 0, OfficialQuantiles(), []string{"0 pairs, want at least 1"}},
		{"no distribution", 5, nil, []string{"0 numbers"}},
		{"every fault", 5, Quantiles{3, 0, 2, 1 << 21},
			[]string{"number 1 is 0, want 1 to", "number 1 is 0 after 3", "number 3 is 2097152"}},
	}
	for _, tt := range tests {
		_, err := GroupPairs(tt.pairs, tt.q, 1)
		if !errors.Is(err, ErrGrouping) {
			t.Errorf("%s: error %v", tt.name, err)
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, want %q", tt.name, err, want)
			}
		}
	}
	if _, err := GroupEqually(5, 0); !errors.Is(err, ErrGrouping) {
		t.Errorf("samples of no pairs: %v", err)
	}
}

func TestReadQuantiles(t *testing.T) {
	q, err := ReadQuantiles(strings.NewReader("1, 2,2 ,  40\r\nmore"))
	if err != nil || !slices.Equal(q, Quantiles{1, 2, 2, 40}) {
		t.Errorf("%v, %v", q, err)
	}
	_, err = ReadQuantiles(strings.NewReader("1, two, 3.5"))
	if err == nil || !strings.Contains(err.Error(), `number 1 is " two"`) ||
		!strings.Contains(err.Error(), `number 2 is " 3.5"`) {
		t.Errorf("error %v, want both faults", err)
	}
	for _, text := range []string{"", "\n1", "2, 1", "-1"} {
		if _, err := ReadQuantiles(strings.NewReader(text)); !errors.Is(err, ErrGrouping) {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

func FuzzReadQuantiles(f *testing.F) {
	for _, text := range []string{"100, 200", "1", "", "1,,2", "9999999999999999999", "7, 3"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ReadQuantiles(strings.NewReader(text))
		if err != nil {
			return
		}
		bounds, err := GroupPairs(1000, q, 1)
		if err != nil || bounds[len(bounds)-1] != 1000 {
			t.Fatalf("%v: %v, %v", q, bounds, err)
		}
	})
}

func BenchmarkGroup(b *testing.B) {
	b.ReportAllocs()
	const pairs = 1 << 20
	for b.Loop() {
		if _, err := GroupPairs(pairs, OfficialQuantiles(), OfficialSeed); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/pairs, "ns/pair")
}
