package earlystop

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/loadgen/internal/testkit/golden"
)

// goldenRows contains rows of early_stopping.json; -1 means that a condition is not met.
type goldenRows struct {
	MinPassing []struct {
		T          uint64
		P, D, C    float64
		Fresh      uint64 `json:"h_fresh"`
		Sequential uint64 `json:"h_sequential"`
	} `json:"min_passing_h"`
	Server []struct {
		Queries, Overlatency              uint64
		Percentile, Tolerance, Confidence float64
		H                                 uint64
		Met                               bool
		More                              uint64 `json:"more_queries_needed"`
	}
	Streams []struct {
		Queries                           uint64
		Percentile, Tolerance, Confidence float64
		HMin                              uint64 `json:"h_min"`
		Required                          uint64 `json:"queries_required"`
		Met                               bool
		T, Discarded                      int64
		Index                             int64 `json:"estimate_index_in_sorted"`
	} `json:"single_or_multi_stream"`
}

func TestGoldenEarlyStopping(t *testing.T) {
	checkRows(t, filepath.Join(golden.Root(t), "loadgen", "early_stopping.json"))
}

func TestEarlyStopping(t *testing.T) { checkRows(t, filepath.Join("testdata", "early_stopping.json")) }

func checkRows(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows goldenRows
	if err := json.Unmarshal(text, &rows); err != nil {
		t.Fatal(err)
	}
	for _, r := range rows.MinPassing {
		t.Run(fmt.Sprintf("h of %d p%v d%v c%v", r.T, r.P, r.D, r.C), func(t *testing.T) {
			c := Criterion{Percentile: r.P, Tolerance: r.D, Confidence: r.C}
			if h := c.MinPassing(r.T); h != r.Fresh {
				t.Errorf("h = %d, want %d", h, r.Fresh)
			}
		})
	}
	for _, r := range rows.Server {
		t.Run(fmt.Sprintf("server %d over %d p%v", r.Queries, r.Overlatency, r.Percentile), func(t *testing.T) {
			c := Criterion{Percentile: r.Percentile, Tolerance: r.Tolerance, Confidence: r.Confidence}
			want := uint64(0)
			if !r.Met {
				want = r.More
			}
			if h, more := c.MinPassing(r.Overlatency), c.Missing(r.Queries, r.Overlatency); h != r.H || more != want {
				t.Errorf("h = %d, %d more; want %d, %d", h, more, r.H, want)
			}
		})
	}
	for _, r := range rows.Streams {
		t.Run(fmt.Sprintf("stream %d p%v", r.Queries, r.Percentile), func(t *testing.T) {
			c := Criterion{Percentile: r.Percentile, Tolerance: r.Tolerance, Confidence: r.Confidence}
			if n := c.Required(); n != r.Required {
				t.Errorf("required %d, want %d", n, r.Required)
			}
			over, ok := c.Discard(r.Queries)
			if ok != r.Met {
				t.Fatalf("met %v, want %v", ok, r.Met)
			}
			if ok && (int64(over) != r.T || int64(over)-1 != r.Discarded || int64(r.Queries-over) != r.Index) {
				t.Errorf("t = %d, want %d (discarded %d, index %d)", over, r.T, r.Discarded, r.Index)
			}
		})
	}
}

// TestCumulative compares with scipy.stats.binom.cdf (scipy 1.17.1).
func TestCumulative(t *testing.T) {
	for _, c := range []struct {
		n, t uint64
		q    float64
		want float64
	}{
		{1, 0, 0.5, 0.5},
		{10, 3, 0.1, 0.9872048016},
		{64, 1, 0.1, 0.009563149713054645},
		{662, 1, 0.01, 0.009913985645459311},
		{1000, 4, 0.01, 0.028686399999004478},
		{1000, 20, 0.01, 0.9985035184522908},
		{100000, 900, 0.01, 0.0006608413334501454},
		{100000, 1100, 0.01, 0.9991790300893386},
		{10000000, 99000, 0.01, 0.000732927310559217},
		{1000000, 999000, 0.9995, 2.9104789327455854e-86},
		{15, 14, 0.3, 0.999999985651093},
		{20, 10, 0.5, 0.5880985260009766},
	} {
		if got := binomialCDF(c.n, c.t, c.q); math.Abs(got-c.want) > 1e-10*c.want {
			t.Errorf("P[X <= %d], n = %d, q = %v: %v, want %v", c.t, c.n, c.q, got, c.want)
		}
	}
}

// TestDiscardAgreesWithMinPassing compares the results of two searches for runs of up to hundreds of millions of
// queries.
func TestDiscardAgreesWithMinPassing(t *testing.T) {
	for _, p := range []float64{0.5, 0.9, 0.95, 0.97, 0.99, 0.999} {
		c := Rules(p)
		for n := c.Required(); n < 500_000_000; n = n*3 + 7 {
			over, ok := c.Discard(n)
			if !ok || c.MinPassing(over)+over > n || c.MinPassing(over+1)+over+1 <= n {
				t.Errorf("p = %v, n = %d: %d may be over, but h(%d) = %d, h(%d) = %d",
					p, n, over, over, c.MinPassing(over), over+1, c.MinPassing(over+1))
			}
		}
		if _, ok := c.Discard(c.Required() - 1); ok {
			t.Errorf("p = %v: an estimate below %d queries", p, c.Required())
		}
	}
}

func BenchmarkMissing(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Rules(0.99).Missing(100_000_000, 990_000)
	}
}

func BenchmarkDiscard(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Rules(0.99).Discard(100_000_000)
	}
}
