package prompts

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Fault is a fault at a position in a file.
type Fault struct {
	Line int // from 1; for a table, the row; 0: the file as a whole
	Text string
}

// Faults contains all faults of a file. It is an ErrData.
type Faults struct {
	File string
	// Unit is line or row.
	Unit string
	List []Fault
	// More is the number of faults that are not listed.
	More int
}

// maxFaults is the maximum number of listed faults.
const maxFaults = 1000

// shownLines is the maximum number of lines listed for one fault.
const shownLines = 20

func (f *Faults) addFault(line int, text string) {
	if len(f.List) == maxFaults {
		f.More++
		return
	}
	f.List = append(f.List, Fault{line, text})
}

// Unwrap returns ErrData.
func (f *Faults) Unwrap() error { return ErrData }

// Error returns a line for each kind of fault, with the lines of the file.
func (f *Faults) Error() string {
	lines := map[string][]int{}
	var order []Fault
	for _, fault := range f.List {
		if _, known := lines[fault.Text]; !known {
			order = append(order, fault)
		}
		lines[fault.Text] = append(lines[fault.Text], fault.Line)
	}
	slices.SortStableFunc(order, func(a, b Fault) int { return cmp.Compare(a.Line, b.Line) })
	texts := make([]string, 0, len(order)+1)
	for _, fault := range order {
		if fault.Line == 0 {
			texts = append(texts, fmt.Sprintf("%s: %s", f.File, fault.Text))
			continue
		}
		texts = append(texts, fmt.Sprintf("%s: %s: %s", f.File, f.formatLines(lines[fault.Text]), fault.Text))
	}
	if f.More > 0 {
		texts = append(texts, fmt.Sprintf("%s: %d more faults", f.File, f.More))
	}
	return strings.Join(texts, "\n")
}

func (f *Faults) formatLines(lines []int) string {
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if len(lines) == 1 {
		return f.Unit + " " + strconv.Itoa(lines[0])
	}
	more := ""
	if len(lines) > shownLines {
		more = fmt.Sprintf(" and %d more", len(lines)-shownLines)
		lines = lines[:shownLines]
	}
	texts := make([]string, len(lines))
	for i, line := range lines {
		texts[i] = strconv.Itoa(line)
	}
	last := len(texts) - 1
	if more == "" {
		return f.Unit + "s " + strings.Join(texts[:last], ", ") + " and " + texts[last]
	}
	return f.Unit + "s " + strings.Join(texts, ", ") + more
}
