package pattern

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// runeSpan is the characters from lo to hi.
type runeSpan struct{ lo, hi rune }

// runeSet is a set of characters, as sorted spans with gaps between them. It must not be changed.
type runeSet []runeSpan

func singleRune(r rune) runeSet { return runeSet{{r, r}} }

// toRuneSet returns the characters of a table of package unicode.
func toRuneSet(t *unicode.RangeTable) runeSet {
	var s runeSet
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			s = append(s, runeSpan{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			s = append(s, runeSpan{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return uniteSets(s)
}

// uniteSets returns the union of sets. Their spans may be in any order.
func uniteSets(sets ...runeSet) runeSet {
	all := slices.Concat(sets...)
	slices.SortFunc(all, func(a, b runeSpan) int { return cmp.Compare(a.lo, b.lo) })
	joined := all[:0]
	for _, next := range all {
		if n := len(joined); n > 0 && next.lo <= joined[n-1].hi+1 {
			joined[n-1].hi = max(joined[n-1].hi, next.hi)
			continue
		}
		joined = append(joined, next)
	}
	return joined
}

// complement returns all other characters.
func (s runeSet) complement() runeSet {
	var gaps runeSet
	next := rune(0)
	for _, v := range s {
		if next < v.lo {
			gaps = append(gaps, runeSpan{next, v.lo - 1})
		}
		next = v.hi + 1
	}
	if next <= unicode.MaxRune {
		gaps = append(gaps, runeSpan{next, unicode.MaxRune})
	}
	return gaps
}

func (s runeSet) intersect(other runeSet) runeSet {
	return uniteSets(s.complement(), other.complement()).complement()
}

// foldASCII adds the ASCII letters of s in the other case.
func (s runeSet) foldASCII() runeSet {
	added := runeSet{}
	for c := rune('A'); c <= 'z'; c++ {
		if !s.contains(c) || !unicode.IsLetter(c) {
			continue
		}
		for r := unicode.SimpleFold(c); r != c; r = unicode.SimpleFold(r) {
			added = append(added, runeSpan{r, r})
		}
	}
	return uniteSets(s, added)
}

func (s runeSet) contains(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(v runeSpan, r rune) int {
		switch {
		case v.hi < r:
			return -1
		case v.lo > r:
			return 1
		}
		return 0
	})
	return found
}

// runeClass is a set for fast look-ups.
type runeClass struct {
	ascii    [utf8.RuneSelf]bool
	nonASCII runeSet // characters beyond ASCII
}

func newRuneClass(s runeSet) *runeClass {
	c := &runeClass{nonASCII: s.intersect(runeSet{{utf8.RuneSelf, unicode.MaxRune}})}
	for i := range c.ascii {
		c.ascii[i] = s.contains(rune(i))
	}
	return c
}

// matchLength returns the length of the first character of text if it belongs to the class, otherwise 0.
func (c *runeClass) matchLength(text string) int {
	if text == "" {
		return 0
	}
	if b := text[0]; b < utf8.RuneSelf {
		if c.ascii[b] {
			return 1
		}
		return 0
	}
	if r, size := utf8.DecodeRuneInString(text); c.nonASCII.contains(r) {
		return size
	}
	return 0
}
