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
	"github.com/plumbline-ml/plumbline/internal/record/results"
)

// Name is the name of a run among the runs shown with it.
type Name struct {
	// Full consists of the user's label, model, scenario, mode, the place in a suite, and further differences, for
	// example "nightly: resnet50 Offline performance batch=4, backend=ort (2 of 3)". It is unique among the runs.
	Full string
	// Short omits the parts that all of the runs have in common: "batch=4". For a single run it equals Full.
	Short string
}

// NameRuns returns the names of runs that are shown together.
func NameRuns(runs []results.FoundRun) []Name {
	all := make([]namedRun, len(runs))
	for i, f := range runs {
		all[i] = namedRun{run: f, parts: f.NameParts()}
	}
	distinguishNames(all)
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

// NameRecords returns the names of records whose folders are in the records.
func NameRecords(runs []record.Run) []Name {
	found := make([]results.FoundRun, len(runs))
	for i, r := range runs {
		found[i] = results.FoundRun{Run: r}
	}
	return NameRuns(found)
}

// Common returns the parts that the names of all runs contain, for example "resnet50 Offline performance batch=4" for
// repeats.
func Common(runs ...record.Run) string {
	all := make([]namedRun, len(runs))
	for i, r := range runs {
		all[i] = namedRun{parts: r.NameParts()}
	}
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

// commonParts returns the parts that the names of all runs contain.
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

// distinguishNames adds differences to equal names until all names are different.
func distinguishNames(all []namedRun) {
	for _, about := range allDifferences() {
		for _, group := range groupByName(all) {
			about.addToNames(group)
		}
	}
	for _, group := range groupByName(all) {
		addFolders(group)
	}
	for round := 0; ; round++ { // another run may already have a number in its name
		groups := groupByName(all)
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

// groupByName returns groups of runs with the same name, in order.
func groupByName(all []namedRun) (groups [][]*namedRun) {
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

// addFolders adds the parts of the folders' names that differ.
func addFolders(group []*namedRun) {
	folders := make([][]string, len(group))
	for i, n := range group {
		folders[i] = strings.Split(filepath.ToSlash(n.run.LogFolder()),
			"/")
	}
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

// allEqual reports whether an element of all lists is equal.
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

// FileName returns a name as a part of a file's or folder's name on any system. It replaces invalid characters by "-".
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
	return clean[:min(len(clean), maxFileName)]
}

// maxFileName limits the length of FileName's result, in bytes.
const maxFileName = 100

// punctuation replaces the punctuation of full names in file names.
var punctuation = strings.NewReplacer(": ", "-", ", ", ",", " (", "-", ")", "")

// FileNames returns the full names of runs as names of files. They differ even if case is ignored.
func FileNames(all []Name) []string {
	files, taken := make([]string, len(all)), map[string]bool{}
	for i, n := range all {
		base := FileName(punctuation.Replace(n.Full))
		files[i] = base
		for k := 2; taken[strings.ToLower(files[i])]; k++ {
			end := "-" + strconv.Itoa(k)
			files[i] = base[:min(len(base), maxFileName-len(end))] + end
		}
		taken[strings.ToLower(files[i])] = true
	}
	return files
}
