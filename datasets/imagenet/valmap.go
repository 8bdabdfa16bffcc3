package imagenet

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// parseMap parses the lines of val_map.txt. It returns the valid entries in order, and a fault for each invalid line.
// Empty lines are skipped.
func parseMap(text string, classes int) ([]mapEntry, []Fault) {
	var entries []mapEntry
	var faults []Fault
	firstLines := map[string]int{} // line number by name
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		e, problem := parseLine(line, classes)
		if problem == "" && e.name == "" {
			continue
		}
		if earlier, ok := firstLines[e.name]; ok && problem == "" {
			problem = fmt.Sprintf("the name is in line %d already", earlier)
		}
		if problem != "" {
			faults = append(faults, Fault{number, e.name, problem})
			continue
		}
		e.line, firstLines[e.name] = number, number
		entries = append(entries, e)
	}
	if len(entries) == 0 && len(faults) == 0 {
		faults = []Fault{{0, "", "it lists no picture: want lines \"name label\""}}
	}
	return entries, faults
}

// parseLine parses a line. The entry of an empty line has no name. problem describes an invalid line, or is "".
func parseLine(line string, classes int) (e mapEntry, problem string) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return mapEntry{}, ""
	}
	e.name = fields[0]
	if len(fields) != 2 {
		return e, fmt.Sprintf("%d fields, want 2: \"name label\"", len(fields))
	}
	if !filepath.IsLocal(filepath.FromSlash(e.name)) || strings.ContainsRune(e.name, 0) {
		return e, "the name is no path inside the data set's folder"
	}
	label, err := strconv.Atoi(fields[1])
	if err != nil {
		return e, fmt.Sprintf("label %.20q, want a whole number of 0 to %d", fields[1], classes-1)
	}
	if label < 0 || label >= classes {
		return e, fmt.Sprintf("label %d, want 0 to %d", label, classes-1)
	}
	e.label = label
	return e, ""
}
