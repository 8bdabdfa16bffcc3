// Package names gives several runs distinct names. It is the only source of the names in rows, headings, links,
// legends, comparisons and file names.
//
// In scope: a run's own name (record.Run.NameParts), and the differences between runs. Out of scope: the style of
// names.
package names

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// Name is what a run is called among those that it is shown with.
type Name struct {
	// Full says model, scenario and mode, the user's label, the place in a suite, and what else tells the run apart:
	// "nightly: resnet50 Offline performance batch=4, backend=ort (2 of 3)". No other of the runs has it.
	Full string
	// Short leaves out what all of the runs have in common: "batch=4". It is Full where there is one run alone.
	Short string
}

// NameRuns names runs that are shown together.
func NameRuns(runs []results.FoundRun) []Name {
	all := lists.Map(runs, func(f results.FoundRun) namedRun { return namedRun{run: f, parts: f.NameParts()} })
	tellApart(all)
	common := commonParts(all)
	out := make([]Name, len(all))
	for i, n := range all {
		out[i] = Name{Full: record.JoinName(n.parts)}
		out[i].Short = record.JoinName(slices.DeleteFunc(n.parts, func(p record.NamePart) bool { return common[p] }))
		if len(all) == 1 || out[i].Short == "" {
			out[i].Short = out[i].Full
		}
	}
	return out
}

// NameRecords names records whose folders are those that they say.
func NameRecords(runs []record.Run) []Name {
	found := lists.Map(runs, func(r record.Run) results.FoundRun { return results.FoundRun{Run: r} })
	return NameRuns(found)
}

// Common is what the names of all of the runs say: "resnet50 Offline performance batch=4" of its repeats.
func Common(runs ...record.Run) string {
	all := lists.Map(runs, func(r record.Run) namedRun { return namedRun{parts: r.NameParts()} })
	if len(all) == 0 {
		return ""
	}
	common := commonParts(all)
	return record.JoinName(slices.DeleteFunc(all[0].parts, func(p record.NamePart) bool { return !common[p] }))
}

// namedRun is a run and the parts of its name so far.
type namedRun struct {
	run   results.FoundRun
	parts []record.NamePart
}

// commonParts are those that every run has.
func commonParts(all []namedRun) map[record.NamePart]bool {
	counts, common := map[record.NamePart]int{}, map[record.NamePart]bool{}
	for _, n := range all {
		seen := map[record.NamePart]bool{}
		for _, p := range n.parts {
			if !seen[p] {
				seen[p] = true
				counts[p]++
			}
		}
	}
	for p, n := range counts {
		common[p] = n == len(all)
	}
	return common
}

// tellApart adds to the names that several runs have what these differ in, until no two are the same.
func tellApart(all []namedRun) {
	for _, about := range allDifferences() {
		for _, group := range sameNames(all) {
			about.addToNames(group)
		}
	}
	for _, group := range sameNames(all) {
		addFolders(group)
	}
	for round := 0; ; round++ { // a number may be in the name of another run already
		groups := sameNames(all)
		if len(groups) == 0 {
			return
		}
		for _, group := range groups {
			for i, n := range group {
				n.parts = append(n.parts, record.NameCount.Part("number"+strconv.Itoa(round), "no. "+strconv.Itoa(i+1)))
			}
		}
	}
}

// sameNames are the runs that share a name, by name, in order.
func sameNames(all []namedRun) (groups [][]*namedRun) {
	at := map[string]int{}
	for i := range all {
		name := strings.ToLower(record.JoinName(all[i].parts))
		g, ok := at[name]
		if !ok {
			g = len(groups)
			at[name], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], &all[i])
	}
	return slices.DeleteFunc(groups, func(g []*namedRun) bool { return len(g) < 2 })
}

// addFolders adds those of the folders' names that differ.
func addFolders(group []*namedRun) {
	folders := lists.Map(group, func(n *namedRun) []string {
		return strings.Split(filepath.ToSlash(n.run.LogFolder()),
			"/")
	})
	front := func(f []string) string { return f[0] }
	back := func(f []string) string { return f[len(f)-1] }
	for allEqual(folders, front) {
		changeEach(folders, func(f []string) []string { return f[1:] })
	}
	for allEqual(folders, back) {
		changeEach(folders, func(f []string) []string { return f[:len(f)-1] })
	}
	for i, n := range group {
		if folder := strings.Join(folders[i], "/"); folder != "" {
			n.parts = append(n.parts, record.NameValue.Part("folder", "in "+folder))
		}
	}
}

// allEqual says whether an element of all lists is the same.
func allEqual(lists [][]string, element func([]string) string) bool {
	return !slices.ContainsFunc(lists, func(l []string) bool {
		return len(l) == 0 || len(lists[0]) == 0 || element(l) != element(lists[0])
	})
}

func changeEach(lists [][]string, change func([]string) []string) {
	for i := range lists {
		lists[i] = change(lists[i])
	}
}

// FileName is a name as part of the name of a file or folder everywhere: what may not be there becomes "-".
func FileName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._=+,-", r) {
			return r
		}
		return '-'
	}, name)
	if clean = strings.TrimLeft(clean, "."); clean == "" {
		return "-"
	}
	return clean[:min(len(clean), maxFile)]
}

// maxFile is how long File's are.
const maxFile = 100

// punctuation is that of full names, for a file.
var punctuation = strings.NewReplacer(": ", "-", ", ", ",", " (", "-", ")", "")

// FileNames are the full names of runs as names of files, of which no two are the same, in any case of letters.
func FileNames(all []Name) []string {
	files, taken := make([]string, len(all)), map[string]bool{}
	for i, n := range all {
		base := FileName(punctuation.Replace(n.Full))
		files[i] = base
		for k := 2; taken[strings.ToLower(files[i])]; k++ {
			end := "-" + strconv.Itoa(k)
			files[i] = base[:min(len(base), maxFile-len(end))] + end
		}
		taken[strings.ToLower(files[i])] = true
	}
	return files
}
