package merge

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func newTable(t testing.TB, pairs []MergeRule) *Table {
	t.Helper()
	table, err := NewTable(pairs)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestApply(t *testing.T) {
	cases := []struct {
		name          string
		pairs         []MergeRule
		symbols, want []int32
	}{
		{"nothing", nil, nil, nil},
		{"one", []MergeRule{{1, 1, 2, 0}}, []int32{1}, []int32{1}},
		{"no rule", []MergeRule{{1, 1, 2, 0}}, []int32{1, 3, 1}, []int32{1, 3, 1}},
		{"left first", []MergeRule{{1, 1, 2, 0}}, []int32{1, 1, 1}, []int32{2, 1}},
		{"rank before place", []MergeRule{{1, 2, 4, 1}, {2, 3, 5, 0}}, []int32{1, 2, 3}, []int32{1, 5}},
		{"merged again", []MergeRule{{1, 1, 2, 0}, {2, 2, 3, 1}, {3, 1, 4, 2}}, []int32{1, 1, 1, 1, 1}, []int32{4}},
		{"a new pair goes first", []MergeRule{{1, 2, 4, 1}, {4, 3, 5, 0}}, []int32{1, 2, 3, 1, 2}, []int32{5, 4}},
		{"the last rule of a pair", []MergeRule{{1, 2, 4, 0}, {2, 3, 6, 1}, {1, 2, 5, 2}},
			[]int32{1, 2, 3, 1, 2}, []int32{1, 6, 5}},
		{"negative symbols", []MergeRule{{-7, 2, 4, 0}}, []int32{-7, 2, -8, 2}, []int32{4, -8, 2}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var m Merger
			if got := m.Apply(newTable(t, c.pairs), slices.Clone(c.symbols)); !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestNewTableRefuses(t *testing.T) {
	for _, p := range []MergeRule{{math.MinInt32, 0, 0, 0}, {0, math.MinInt32, 0, 0}, {0, 0, 0, -1}} {
		if _, err := NewTable([]MergeRule{p}); !errors.Is(err, ErrSymbol) {
			t.Errorf("%v: %v", p, err)
		}
	}
}

// slow looks through all pairs for each merge.
func slow(pairs map[[2]int32]MergeRule, symbols []int32) []int32 {
	for {
		best := -1
		var rule MergeRule
		for i := 1; i < len(symbols); i++ {
			if p, ok := pairs[[2]int32{symbols[i-1], symbols[i]}]; ok && (best < 0 || p.Rank < rule.Rank) {
				best, rule = i, p
			}
		}
		if best < 0 {
			return symbols
		}
		symbols[best-1] = rule.Symbol
		symbols = slices.Delete(symbols, best, best+1)
	}
}

func TestApplyRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 1))
	var m Merger
	for range 300 {
		kinds := int32(2 + random.IntN(5))
		var pairs []MergeRule
		byPair := map[[2]int32]MergeRule{}
		for i := range 1 + random.IntN(60) {
			p := MergeRule{random.Int32N(kinds), random.Int32N(kinds), kinds, int32(i)}
			if random.IntN(4) == 0 {
				p.Rank = random.Int32N(10) // equal ranks, and ranks below those of the parts
			}
			kinds++
			pairs, byPair[[2]int32{p.Left, p.Right}] = append(pairs, p), p
		}
		symbols := make([]int32, random.IntN(200))
		for i := range symbols {
			symbols[i] = random.Int32N(6)
		}
		got, want := m.Apply(newTable(t, pairs), slices.Clone(symbols)), slow(byPair, slices.Clone(symbols))
		if !slices.Equal(got, want) {
			t.Fatalf("%v of %v: got %v, want %v", pairs, symbols, got, want)
		}
	}
}

// TestApplyLong would take hours if the time grew with the square of the length.
func TestApplyLong(t *testing.T) {
	table := newTable(t, []MergeRule{{1, 1, 2, 0}, {2, 2, 3, 1}, {3, 3, 4, 2}})
	var m Merger
	if got := m.Apply(table, slices.Repeat([]int32{1}, 1<<21)); len(got) != 1<<18 {
		t.Errorf("%d symbols", len(got))
	}
}

func BenchmarkApply(b *testing.B) {
	table := newTable(b, []MergeRule{{1, 2, 10, 0}, {3, 4, 11, 1}, {10, 11, 12, 2}, {12, 5, 13, 3}})
	var m Merger
	symbols := make([]int32, 7)
	b.ReportAllocs()
	for b.Loop() {
		copy(symbols, []int32{1, 2, 3, 4, 5, 6, 7})
		m.Apply(table, symbols)
	}
}

func TestMemory(t *testing.T) {
	var m PieceCache
	if _, ok := m.Lookup("a"); ok {
		t.Error("an empty memory knows a piece")
	}
	m.Store("a", []int32{1, 2})
	m.Store("b", nil)
	m.Store(strings.Repeat("x", maxCachedLength+1), []int32{3})
	if ids, ok := m.Lookup("a"); !ok || !slices.Equal(ids, []int32{1, 2}) {
		t.Errorf("got %v, %v", ids, ok)
	}
	if ids, ok := m.Lookup("b"); !ok || len(ids) != 0 {
		t.Errorf("got %v, %v", ids, ok)
	}
	if len(m.spans) != 2 {
		t.Error("a long piece is kept")
	}
	for i := range maxCachedPieces {
		m.Store(strconv.Itoa(i), []int32{int32(i)})
	}
	if ids, ok := m.Lookup(strconv.Itoa(maxCachedPieces - 1)); !ok || ids[0] != maxCachedPieces-1 || len(m.spans) > 2 {
		t.Errorf("got %v, %v, %d pieces", ids, ok, len(m.spans))
	}
}
