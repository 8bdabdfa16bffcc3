package pattern

import (
	"fmt"
	"strings"
	"unicode"
)

// propertySet is the set of a name in \p{NAME}: a category, its long name, or a script. Case, blanks,
// "_" and "-" do not count.
func propertySet(name string) (runeSet, error) {
	name, negative := strings.CutPrefix(name, "^")
	wanted := plainName(name)
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts} {
		for known, table := range tables {
			if plainName(known) == wanted {
				return negateSet(ofTable(table), negative), nil
			}
		}
	}
	for known, short := range unicode.CategoryAliases {
		if plainName(known) == wanted {
			return negateSet(ofTable(unicode.Categories[short]), negative), nil
		}
	}
	return nil, fmt.Errorf("the property %.40q, want a category or a script of Unicode", name)
}

func plainName(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}

func negateSet(s runeSet, negative bool) runeSet {
	if negative {
		return s.complement()
	}
	return s
}

// shorthandSet is the set of \s, \d, \w, \h, or of their complements in upper case.
func shorthandSet(c rune) (s runeSet, ok bool) {
	switch unicode.ToLower(c) {
	case 's':
		s = ofTable(unicode.White_Space)
	case 'd':
		s = ofTable(unicode.Nd)
	case 'w':
		s = unionOf(ofTable(unicode.L), ofTable(unicode.M), ofTable(unicode.Nl), ofTable(unicode.Nd), ofTable(unicode.Pc),
			ofTable(unicode.Other_Alphabetic))
	case 'h':
		s = runeSet{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}
	default:
		return nil, false
	}
	return negateSet(s, unicode.IsUpper(c)), true
}

// wordAlone is \w or \W outside of a class, where the reference counts the fractions and raised digits of
// Latin-1 among the letters.
func wordAlone(s runeSet, negative bool) runeSet {
	numbers := runeSet{{0xb2, 0xb3}, {0xb9, 0xb9}, {0xbc, 0xbe}}
	return negateSet(unionOf(negateSet(s, negative), numbers), negative)
}
