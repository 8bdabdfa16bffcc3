package pattern

import (
	"cmp"
	"slices"
	"unicode"
	"unicode/utf8"
)

// span is the characters from lo to hi.
type span struct{ lo, hi rune }

// set is characters, as spans in their order with gaps between them. It must not be changed.
type set []span

func single(r rune) set { return set{{r, r}} }

// ofTable is the characters of a table of package unicode.
func ofTable(t *unicode.RangeTable) set {
	var s set
	add := func(lo, hi, stride rune) {
		if stride == 1 {
			s = append(s, span{lo, hi})
			return
		}
		for r := lo; r <= hi; r += stride {
			s = append(s, span{r, r})
		}
	}
	for _, r := range t.R16 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	for _, r := range t.R32 {
		add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
	}
	return union(s)
}

// union is the characters of all sets, whose spans may be in any order.
func union(sets ...set) set {
	all := slices.Concat(sets...)
	slices.SortFunc(all, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
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

// complement is all other characters.
func (s set) complement() set {
	var gaps set
	next := rune(0)
	for _, v := range s {
		if next < v.lo {
			gaps = append(gaps, span{next, v.lo - 1})
		}
		next = v.hi + 1
	}
	if next <= unicode.MaxRune {
		gaps = append(gaps, span{next, unicode.MaxRune})
	}
	return gaps
}

func (s set) intersect(other set) set {
	return union(s.complement(), other.complement()).complement()
}

// anyCase adds the other cases of the ASCII letters in s.
func (s set) anyCase() set {
	added := set{}
	for c := rune('A'); c <= 'z'; c++ {
		if !s.has(c) || !unicode.IsLetter(c) {
			continue
		}
		for r := unicode.SimpleFold(c); r != c; r = unicode.SimpleFold(r) {
			added = append(added, span{r, r})
		}
	}
	return union(s, added)
}

func (s set) has(r rune) bool {
	_, found := slices.BinarySearchFunc(s, r, func(v span, r rune) int {
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

// class is a set that is asked often.
type class struct {
	ascii [utf8.RuneSelf]bool
	rest  set // beyond ASCII
}

func newClass(s set) *class {
	c := &class{rest: s.intersect(set{{utf8.RuneSelf, unicode.MaxRune}})}
	for i := range c.ascii {
		c.ascii[i] = s.has(rune(i))
	}
	return c
}

// match is the length of the character that a text starts with, if that is of the class, and 0 otherwise.
func (c *class) match(text string) int {
	if text == "" {
		return 0
	}
	if b := text[0]; b < utf8.RuneSelf {
		if c.ascii[b] {
			return 1
		}
		return 0
	}
	if r, size := utf8.DecodeRuneInString(text); c.rest.has(r) {
		return size
	}
	return 0
}
