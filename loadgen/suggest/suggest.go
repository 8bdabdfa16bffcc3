// Package suggest suggests known names for an unknown one.
package suggest

import (
	"errors"
	"fmt"
	"strings"
)

// Unknown returns an error for an unknown name. The error contains the kind of the name, the nearest known names, and
// all known names if there are at most 24. If there are more and none is near, it contains the first 12 and the number
// of the others.
func Unknown(kind, name string, known []string) error {
	text := fmt.Sprintf("unknown %s %q", kind, name)
	near := nearNames(name, known)
	if len(near) > 0 {
		text += fmt.Sprintf("; did you mean %s?", strings.Join(near, " or "))
	}
	switch {
	case len(known) == 0:
	case len(known) <= maxListed:
		text += fmt.Sprintf(" (known: %s)", strings.Join(known, ", "))
	case len(near) == 0:
		text += fmt.Sprintf(" (known: %s, and %d more)", strings.Join(known[:maxListed/2], ", "), len(known)-maxListed/2)
	}
	return errors.New(text)
}

// maxListed is the number of known names up to which an error lists all of them.
const maxListed = 24

// maxMeant is the maximum number of suggested names.
const maxMeant = 4

// nearNames returns the quoted names that the user may have meant: the nearest one or, if none is near, the names that
// end with a dot and name.
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

// maxLength is the maximum length, in bytes, of a name for which Nearest searches. Longer names are not typing errors.
const maxLength = 100

// Nearest returns the known name that is closest to name, or "" if none is close. It ignores case. A third of the
// letters of the longer name may differ, but always one letter. If no name is that close, it returns the shortest name
// that begins with name, provided name has three letters. It returns "" for a name of more than 100 bytes.
func Nearest(name string, known []string) string {
	if len(name) > maxLength {
		return ""
	}
	best, least := "", maxLength
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

// minBeginning is the minimum length, in bytes, of a beginning that identifies a name.
const minBeginning = 3

// editDistance returns the number of bytes that have to be changed, added, removed or exchanged with their neighbours
// (the optimal string alignment distance).
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
