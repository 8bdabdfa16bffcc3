// Package explain finds the meaning of a word of the harness. A word names a rule, a metric, a setting, a flag or an
// exit code. Its entry contains the formula, the source and the place in the code.
//
// The package contains no texts of its own. It collects them from the packages that judge, measure, read settings or
// define flags.
package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// WordKind is the kind of thing that a word names.
type WordKind string

// The kinds, in the order of lists.
const (
	Rule     WordKind = "rule"
	Finding  WordKind = "finding"
	Breach   WordKind = "breach"
	Check    WordKind = "check"
	Metric   WordKind = "metric"
	Accuracy WordKind = "accuracy"
	Setting  WordKind = "setting"
	Flag     WordKind = "flag"
	Code     WordKind = "code"
)

// describeKind returns a description of the kind, and the document that describes its words.
func (k WordKind) describeKind() (about, page string) {
	switch k {
	case Rule:
		return "rule of a VALID run", "docs/verdict.md"
	case Finding:
		return "family of rules of harness submission check", "docs/submission.md"
	case Breach:
		return "kind of breach that harness submission check and review name", "docs/review.md"
	case Check:
		return "check of harness verify", "docs/vendor.md"
	case Metric:
		return "figure of a run or of a measured server", "docs/compare.md"
	case Accuracy:
		return "official metric of accuracy", "docs/grading.md"
	case Setting:
		return "setting of LoadGen", "docs/settings.md"
	case Flag:
		return "flag of a command", "docs/commands.md"
	}
	return "exit code", "docs/commands.md"
}

// About returns a description of the kind.
func (k WordKind) About() string {
	about, _ := k.describeKind()
	return about
}

// Page returns the document that describes the words of the kind.
func (k WordKind) Page() string {
	_, page := k.describeKind()
	return page
}

// Kinds returns all kinds.
func Kinds() []WordKind {
	return []WordKind{Rule, Finding, Breach, Check, Metric, Accuracy, Setting, Flag, Code}
}

// WordEntry is the explanation of a word. Empty fields do not apply.
type WordEntry struct {
	Word    string    `json:"word"`
	Kind    WordKind  `json:"kind"`
	Also    []string  `json:"also,omitempty"` // other names
	Meaning string    `json:"meaning"`
	Formula string    `json:"formula,omitempty"`
	Unit    string    `json:"unit,omitempty"`
	Better  string    `json:"better,omitempty"`  // direction in which a metric improves
	Applies string    `json:"applies,omitempty"` // scenarios or commands
	Values  string    `json:"values,omitempty"`  // possible or allowed values
	Source  string    `json:"source,omitempty"`  // document that states the rule
	Code    CodePlace `json:"code"`
	Page    string    `json:"page"`
}

// CodePlace is the location of a declaration in the code of this project.
type CodePlace struct {
	Package string `json:"package"` // its folder: "serving/metrics"
	Name    string `json:"name"`    // a declaration, a field or a method: "Measured.Value"
}

// parsePlace parses a place such as "serving/metrics.Measured.Value".
func parsePlace(text string) CodePlace {
	folder, last := "", text
	if slash := strings.LastIndexByte(text, '/'); slash >= 0 {
		folder, last = text[:slash+1], text[slash+1:]
	}
	name, declared, _ := strings.Cut(last, ".")
	return CodePlace{folder + name, declared}
}

// has reports whether name is a name of the entry. A word of the entry that ends with a dash matches all names with
// this prefix.
func (e WordEntry) has(name string) bool {
	return strings.EqualFold(e.Word, name) || strings.HasSuffix(e.Word, "-") && strings.HasPrefix(name, e.Word) ||
		slices.ContainsFunc(e.Also, func(also string) bool { return strings.EqualFold(also, name) })
}

// FindEntries returns the entries of a word, ignoring case. A word that begins with dashes is a flag. The error for an
// unknown word suggests similar ones.
func FindEntries(all []WordEntry, word string) ([]WordEntry, error) {
	name := strings.TrimLeft(word, "-")
	found := slices.DeleteFunc(slices.Clone(all), func(e WordEntry) bool {
		return !e.has(name) || name != word && e.Kind != Flag
	})
	if len(found) == 0 && name == word {
		found = statisticEntries(word)
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, suggest.Unknown("word", word, ListWords(all))
}

// ListWords returns the words and their other names, sorted and without duplicates.
func ListWords(all []WordEntry) []string {
	var words []string
	for _, e := range all {
		words = append(append(words, e.Word), e.Also...)
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	return slices.Compact(words)
}
