package generate

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// small returns a decoder in one of the two forms.
func small(inPlace bool) *decoderModel {
	d := &decoderModel{layers: 2, heads: 3, dim: 2, past: backend.Float32, starts: -1, ends: -1}
	if inPlace {
		d.starts, d.ends = 1, 2
	}
	return d
}

// filledCache returns a cache of rows of random lengths, whose bytes identify their row.
func filledCache(r *rand.Rand, rows int, inPlace bool) *kvCache {
	c := newCache(small(inPlace))
	for i := range rows {
		n := 1 + r.IntN(9)
		from := newCache(small(inPlace))
		from.begin(1, n)
		tensors, _ := from.presentTensors(n)
		for t, data := range tensors {
			for j := range data {
				data[j] = byte(100*t + 10*i + j%7 + 1)
			}
		}
		from.finishPrompts(n, []int{n})
		c.addRow(from, 0)
	}
	return c
}

// contents returns each row's tensors, without the columns before and after its contents.
func contents(c *kvCache) []string {
	all := make([]string, c.rows())
	for r, n := range c.lengths {
		var b bytes.Buffer
		for _, t := range c.tensors {
			for h := range c.heads {
				head := t[(r*c.heads+h)*c.width*c.column:][:c.width*c.column]
				if c.inPlace {
					head = head[:n*c.column]
				}
				b.Write(head[len(head)-n*c.column:])
			}
		}
		all[r] = b.String()
	}
	return all
}

func TestPermute(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		total := 1 + r.IntN(8)
		c := filledCache(r, total, seed%2 == 0)
		rows := r.Perm(total)[:1+r.IntN(total)]
		from := make([]int, len(rows))
		for i := range from {
			from[i] = r.IntN(len(rows))
		}
		if seed%5 < 2 {
			from = r.Perm(len(rows))
		}
		before := contents(c)
		want := slices.Clone(before)
		for i, f := range from {
			want[rows[i]] = before[rows[f]]
		}
		c.permute(rows, from)
		if !slices.Equal(contents(c), want) {
			t.Errorf("seed %d: rows %v from %v are wrong", seed, rows, from)
		}
	}
}

func TestFitKeepsRowsOfAGrowingCache(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	c := filledCache(r, 5, false)
	before := contents(c)
	c.resizeRows(5, 80)
	c.fitWidth(80)
	if c.width != c.maxRowLength() || !slices.Equal(contents(c), before) {
		t.Errorf("after fit: width %d of rows up to %d, contents equal: %v", c.width, c.maxRowLength(),
			slices.Equal(contents(c), before))
	}
	c.resizeRows(5, maxWidth(c.maxRowLength()))
	c.fitWidth(80)
	if c.width != maxWidth(c.maxRowLength()) {
		t.Errorf("fit copied for %d spare columns of %d", c.width-c.maxRowLength(), c.width)
	}
}

// An in-place cache gets a column for the next token, and gives up columns that no row can reach.
func TestFitKeepsRowsOfACacheInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	c := filledCache(r, 5, true)
	before := contents(c)
	c.resizeRows(5, c.maxRowLength())
	c.fitWidth(80)
	if c.width <= c.maxRowLength() || !slices.Equal(contents(c), before) {
		t.Errorf("full cache after fit: width %d of rows up to %d, contents equal: %v", c.width, c.maxRowLength(),
			slices.Equal(contents(c), before))
	}
	c.resizeRows(5, maxWidth(80))
	if c.fitWidth(80); c.width != maxWidth(80) {
		t.Errorf("fit copied a cache of %d columns, of which rows can come to need 80", c.width)
	}
	if c.fitWidth(12); c.width > maxWidth(12) || !slices.Equal(contents(c), before) {
		t.Errorf("wide cache after fit: width %d of rows up to 12, contents equal: %v", c.width,
			slices.Equal(contents(c), before))
	}
}

func TestPaddingIsCleared(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	c := filledCache(r, 4, false)
	for i, tensor := range c.tensors {
		for row, n := range c.lengths {
			for h := range c.heads {
				head := tensor[(row*c.heads+h)*c.width*c.column:][:c.width*c.column]
				if slices.ContainsFunc(head[:len(head)-n*c.column], func(b byte) bool { return b != 0 }) {
					t.Errorf("tensor %d row %d head %d: what is before its %d columns is not zero", i, row, h, n)
				}
			}
		}
	}
}

func BenchmarkPermute(b *testing.B) {
	for _, kind := range []string{"same", "one", "cycle"} {
		b.Run(kind, func(b *testing.B) {
			model := &decoderModel{layers: 4, heads: 8, dim: 64, past: backend.Float32, starts: -1, ends: -1}
			c := newCache(model)
			for range 4 {
				from := newCache(model)
				from.begin(1, 256)
				from.presentTensors(256)
				from.finishPrompts(256, []int{256})
				c.addRow(from, 0)
			}
			from := map[string][]int{"same": {0, 1, 2, 3}, "one": {0, 0, 2, 3}, "cycle": {1, 2, 3, 0}}[kind]
			b.ReportAllocs()
			for b.Loop() {
				c.permute([]int{0, 1, 2, 3}, from)
			}
		})
	}
}

func ExampleGeneratorStats() {
	s := GeneratorStats{Steps: 10, Rows: 75}
	fmt.Printf("%.1f sequences in each step\n", float64(s.Rows)/float64(s.Steps))
	// Output: 7.5 sequences in each step
}
