// Package suggest suggests known names for an unknown one.
package suggest

import (
	"errors"
	"fmt"
	"strings"
)

// Unknown is the error of a name that is not known: what it is meant to name, the nearest known ones, and where they
// are few all of them. Where they are many, and none is near, it has the first ones and how many more there are.
func Unknown(kind, name string, known []string) error {
	text := fmt.Sprintf("unknown %s %q", kind, name)
	near := nearNames(name, known)
	if len(near) > 0 {
		text += fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	switch {
	case len(known) == 0:
	case len(known) <= few:
		text += fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
	case len(near) == 0:
		text += fmt.Sprintf(" (known: %s, and %d more)", strings.Join(known[:few/2], ", "), len(known)-few/2)
	}
	return errors.New(text)
}

// few is how many names a reader looks through.
const few = 24

// maxMeant is how many names are offered at most.
const maxMeant = 4

// nearNames are the known names that may be meant, quoted: the nearest one, else those whose part behind a dot it is.
func nearNames(name string, known []string) []string {
	if near := Nearest(name, known); near != "" {
		return []string{fmt.Sprintf("%q", near)}
	}
	var all []string
	for _, k := range known {
		if name != "" && len(all) < maxMeant && strings.HasSuffix(strings.ToLower(k), "."+strings.ToLower(name)) {
			all = append(all, fmt.Sprintf("%q", k))
		}
	}
	return all
}

// longest is the length of names beyond which nobody looks for near ones: they are none that somebody mistyped.
const longest = 100

// Nearest returns the known name that is closest to name, or "" where none is close: a third of the letters of the
// longer one may differ, at least one, in any case of letters; else the shortest name that begins with the one that was
// given, if that has three letters. A name of more than 100 bytes is close to none.
func Nearest(name string, known []string) string {
	if len(name) > longest {
		return ""
	}
	best, least := "", longest
	for _, k := range known {
		d := editDistance(strings.ToLower(name), strings.ToLower(k))
		if d <= max(1, len(name)/3, len(k)/3) && d < least {
			best, least = k, d
		}
	}
	if best != "" || len(name) < minBeginning {
		return best
	}
	for _, k := range known {
		if strings.HasPrefix(strings.ToLower(k), strings.ToLower(name)) && (best == "" || len(k) < len(best)) {
			best = k
		}
	}
	return best
}

// minBeginning is how many bytes say which name is meant.
const minBeginning = 3

// editDistance is how many bytes have to be changed, added, left out or exchanged with their neighbours (the optimal
// string alignment distance).
func editDistance(a, b string) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range len(b) {
			change := last[j]
			if a[i] != b[j] {
				change++
			}
			row[j+1] = min(change, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
