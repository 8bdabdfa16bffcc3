package pattern

import (
	"fmt"
	"strings"
	"unicode"
)

// propertySet returns the characters of a name in \p{NAME}: a category, its long name, or a script. Case, blanks, "_"
// and "-" are ignored.
func propertySet(name string) (runeSet, error) {
	name, negative := strings.CutPrefix(name, "^")
	wanted := normalizeName(name)
	for _, tables := range []map[string]*unicode.RangeTable{unicode.Categories, unicode.Scripts} {
		for known, table := range tables {
			if normalizeName(known) == wanted {
				return negateSet(toRuneSet(table), negative), nil
			}
		}
	}
	for known, short := range unicode.CategoryAliases {
		if normalizeName(known) == wanted {
			return negateSet(toRuneSet(unicode.Categories[short]), negative), nil
		}
	}
	return nil, fmt.Errorf("the property %.40q, want a category or a script of Unicode", name)
}

func normalizeName(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "", "_", "", "-", "").Replace(name))
}

func negateSet(s runeSet, negative bool) runeSet {
	if negative {
		return s.complement()
	}
	return s
}

// shorthandSet returns the characters of \s, \d, \w or \h, or the complement for an upper-case letter.
func shorthandSet(c rune) (s runeSet, ok bool) {
	switch unicode.ToLower(c) {
	case 's':
		s = toRuneSet(unicode.White_Space)
	case 'd':
		s = toRuneSet(unicode.Nd)
	case 'w':
		s = uniteSets(toRuneSet(unicode.L), toRuneSet(unicode.M), toRuneSet(unicode.Nl), toRuneSet(unicode.Nd),
			toRuneSet(unicode.Pc),
			toRuneSet(unicode.Other_Alphabetic))
	case 'h':
		s = runeSet{{'0', '9'}, {'A', 'F'}, {'a', 'f'}}
	default:
		return nil, false
	}
	return negateSet(s, unicode.IsUpper(c)), true
}

// wordOutsideClass returns the characters of \w or \W outside of a class. There, the reference counts the fractions and
// superscript digits of Latin-1 as letters.
func wordOutsideClass(s runeSet, negative bool) runeSet {
	numbers := runeSet{{0xb2, 0xb3}, {0xb9, 0xb9}, {0xbc, 0xbe}}
	return negateSet(uniteSets(negateSet(s, negative), numbers), negative)
}
