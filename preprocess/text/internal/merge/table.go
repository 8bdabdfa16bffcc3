package merge

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
)

// MergeRule replaces the adjacent symbols Left and Right with Symbol.
type MergeRule struct {
	Left, Right, Symbol int32
	Rank                int32 // from 0; lower ranks are merged first
}

// Table maps pairs to their rules. It is read-only and may be used from many goroutines.
type Table struct {
	keys  []uint64 // open addressing with linear probing
	rules []ruleEntry
	shift int
}

type ruleEntry struct{ rank, symbol int32 }

// emptyKey is a key that no pair has, because math.MinInt32 is not a valid symbol.
const emptyKey = 1<<63 | 1<<31

// ErrSymbol is wrapped by errors of NewTable about pairs that cannot be stored.
var ErrSymbol = errors.New("merge rule")

// NewTable returns a table of rules. If several rules have the same pair, the last one counts. Symbols may have any
// value except math.MinInt32. Ranks start from 0.
func NewTable(pairs []MergeRule) (*Table, error) {
	size := 1 << bits.Len(uint(2*len(pairs)+1))
	t := &Table{keys: make([]uint64, size), rules: make([]ruleEntry, size), shift: 64 - bits.Len(uint(size-1))}
	for i := range t.keys {
		t.keys[i] = emptyKey
	}
	for _, p := range pairs {
		if p.Left == math.MinInt32 || p.Right == math.MinInt32 || p.Rank < 0 {
			return nil, fmt.Errorf("%w: pair %d, %d of rank %d", ErrSymbol, p.Left, p.Right, p.Rank)
		}
		at, _ := t.findKey(pairKey(p.Left, p.Right))
		t.keys[at], t.rules[at] = pairKey(p.Left, p.Right), ruleEntry{p.Rank, p.Symbol}
	}
	return t, nil
}

func pairKey(left, right int32) uint64 { return uint64(uint32(left))<<32 | uint64(uint32(right)) }

// findKey returns the slot of a key, or the free slot to which it belongs.
func (t *Table) findKey(k uint64) (at int, found bool) {
	const golden = 0x9e3779b97f4a7c15 // 2^64 / the golden ratio, which spreads neighbouring keys (Knuth, TAOCP 6.4)
	mask := len(t.keys) - 1
	at = int(k * golden >> t.shift)
	for t.keys[at] != k {
		if t.keys[at] == emptyKey {
			return at, false
		}
		at = (at + 1) & mask
	}
	return at, true
}

// findRule returns the rule of a pair.
func (t *Table) findRule(left, right int32) (ruleEntry, bool) {
	at, found := t.findKey(pairKey(left, right))
	return t.rules[at], found
}
