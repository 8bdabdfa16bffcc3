package clicks

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"hash"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite testdata/pairs.sha256")

func read(t testing.TB, s *Set, start, n int) *Block {
	t.Helper()
	b := NewBlock(n)
	if err := s.Read(b, start); err != nil {
		t.Fatal(err)
	}
	return b
}

func digest(h hash.Hash, b *Block) []byte {
	for i := range arrays {
		_ = binary.Write(h, binary.LittleEndian, b.arrayValues(i)) // a hash never fails
	}
	return h.Sum(nil)
}

// TestPairsNeverChange holds pairs against those of the embedded model's training: a change here means that the
// model must be trained again.
func TestPairsNeverChange(t *testing.T) {
	var got strings.Builder
	for _, set := range []struct {
		name string
		*Set
	}{{"train", Train()}, {"eval", Eval()}} {
		for _, start := range []int{0, 1000, set.Len() - 1000} {
			fmt.Fprintf(&got, "%s %d %x\n", set.name, start, digest(sha256.New(), read(t, set.Set, start, 1000)))
		}
	}
	path := filepath.Join("testdata", "pairs.sha256")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("got\n%swant\n%s", got.String(), want)
	}
}

func TestPairsDoNotDependOnTheirBlock(t *testing.T) {
	s := Eval()
	all, part := read(t, s, 100, 50), read(t, s, 120, 10)
	if !slices.Equal(part.Dense, all.Dense[20*DenseFeatures:30*DenseFeatures]) ||
		!slices.Equal(part.Labels, all.Labels[20:30]) {
		t.Error("numbers or labels differ")
	}
	for k, hot := range Hotness() {
		if !slices.Equal(part.Sparse[k], all.Sparse[k][20*hot:30*hot]) {
			t.Errorf("table %d differs", k)
		}
	}
}

func TestSetsDiffer(t *testing.T) {
	if a, b := read(t, Train(), 0, 20), read(t, Eval(), 0, 20); slices.Equal(a.Dense, b.Dense) {
		t.Error("training and evaluation begin with the same pairs")
	}
}

func TestPairsAreInRange(t *testing.T) {
	b := read(t, Eval(), 0, 5000)
	rows := Rows()
	for k, indices := range b.Sparse {
		low, high := slices.Min(indices), slices.Max(indices)
		if low != 0 || int(high) >= rows[k] || int(high) < rows[k]*9/10 {
			t.Errorf("table %d of %d rows: indices of %d to %d", k, rows[k], low, high)
		}
	}
	if low, high := slices.Min(b.Dense), slices.Max(b.Dense); low != 0 || high < 8 ||
		float64(high) > math.Log(1<<countBits) {
		t.Errorf("numbers of %v to %v", low, high)
	}
	clicks := 0
	for _, label := range b.Labels {
		clicks += int(label)
	}
	if clicks < 1000 || clicks > 1400 {
		t.Errorf("%d clicks in 5000 pairs, want about a quarter", clicks)
	}
}

// TestTheHiddenModelIsNoOracle ranks pairs by the hidden model itself: no model can be better, and it is not perfect.
func TestTheHiddenModelIsNoOracle(t *testing.T) {
	s := Eval()
	b := read(t, s, 0, 20000)
	hotness := Hotness()
	var by [2][]int // logits by label
	for i, label := range b.Labels {
		var p pairFeatures
		for j := range p.levels {
			p.levels[j] = log2(int(math.Round(math.Exp(float64(b.Dense[i*DenseFeatures+j])))))
		}
		for k, hot := range hotness {
			p.tables[k] = s.model.sumRows(k, b.Sparse[k][i*hot:(i+1)*hot])
		}
		by[label] = append(by[label], s.model.logit(&p))
	}
	if auc := area(by[0], by[1]); auc < 0.84 || auc > 0.86 {
		t.Errorf("AUC %v, want about 0.85", auc)
	}
}

// area returns the share of (negative, positive) pairs with the positive above.
func area(negatives, positives []int) float64 {
	slices.Sort(negatives)
	sum := 0
	for _, p := range positives {
		below, _ := slices.BinarySearch(negatives, p)
		above, _ := slices.BinarySearch(negatives, p+1)
		sum += below + above
	}
	return float64(sum) / 2 / float64(len(negatives)) / float64(len(positives))
}

func TestChanceGrowsWithTheLogit(t *testing.T) {
	tr := newHiddenModel()
	if half := tr.chance(0); half != 1<<31 {
		t.Errorf("chance at 0 is %d, want half of 2^32", half)
	}
	if tr.chance(-1<<20) != tr.clickOdds[0] || tr.chance(1<<20) != tr.clickOdds[len(tr.clickOdds)-1] ||
		!slices.IsSorted(tr.clickOdds[:]) {
		t.Error("chances are not clamped, or fall")
	}
}

func TestReadRefuses(t *testing.T) {
	s := New(1, 10)
	for _, start := range []int{-1, 6} {
		if err := s.Read(NewBlock(5), start); err == nil || !strings.Contains(err.Error(), "want pairs within 0 to 10") {
			t.Errorf("from %d on: error %v", start, err)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	s := Eval()
	block := NewBlock(270)
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Read(block, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/270, "ns/pair")
}
