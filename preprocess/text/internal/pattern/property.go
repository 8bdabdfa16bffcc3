package pattern

import (
	"fmt"
	"strings"
	"unicode"
)

// property is the set of a name in \p{NAME}: a category, its long name, or a script. Case, blanks,
// "_" and "-" do not count.
func property(name string) (set, error) {
	name, negative := strings.CutPrefix(name, "^")
	wanted := plainName(name)
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts} {
		for known, table := range tables {
			if plainName(known) == wanted {
				return negate(ofTable(table), negative), nil
			}
		}
	}
	for known, short := range unicode.CategoryAliases {
		if plainName(known) == wanted {
			return negate(ofTable(unicode.Categories[short]), negative), nil
		}
	}
	return nil, fmt.Errorf("the property %.40q, want a category or a script of Unicode", name)
}

func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}

func negate(s set, negative bool) set {
	if negative {
		return s.complement()
	}
	return s
}

// shorthand is the set of \s, \d, \w, \h, or of their complements in upper case.
func shorthand(c rune) (s set, ok bool) {
	switch unicode.ToLower(c) {
	case 's':
		s = ofTable(unicode.White_Space)
	case 'd':
		s = ofTable(unicode.Nd)
	case 'w':
		s = union(ofTable(unicode.L), ofTable(unicode.M), ofTable(unicode.Nl), ofTable(unicode.Nd), ofTable(unicode.Pc),
			ofTable(unicode.Other_Alphabetic))
	case 'h':
		s = set{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}
	default:
		return nil, false
	}
	return negate(s, unicode.IsUpper(c)), true
}

// wordAlone is \w or \W outside of a class, where the reference counts the fractions and raised digits of
// Latin-1 among the letters.
func wordAlone(s set, negative bool) set {
	numbers := set{{0xb2, 0xb3}, {0xb9, 0xb9}, {0xbc, 0xbe}}
	return negate(union(negate(s, negative), numbers), negative)
}
