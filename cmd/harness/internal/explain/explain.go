// Package explain finds what a word of the harness means. A word names a rule, a metric, a setting, a flag or an exit
// code, and its entry contains the formula, the source and the place in the code.
//
// It contains no texts of its own; it collects them from the packages that judge, measure, read settings or define
// flags.
package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
)

// Kind is the kind of thing that a word names.
type Kind string

// The kinds, in the order in which they are listed.
const (
	Rule     Kind = "rule"
	Finding  Kind = "finding"
	Breach   Kind = "breach"
	Check    Kind = "check"
	Metric   Kind = "metric"
	Accuracy Kind = "accuracy"
	Setting  Kind = "setting"
	Flag     Kind = "flag"
	Code     Kind = "code"
)

// about says what the words of a kind are, and which document describes them.
func (k Kind) about() (about, page string) {
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

// About says what the words of the kind are.
func (k Kind) About() string {
	about, _ := k.about()
	return about
}

// Page is the document that describes the words of the kind.
func (k Kind) Page() string {
	_, page := k.about()
	return page
}

// Kinds lists the kinds.
func Kinds() []Kind {
	return []Kind{Rule, Finding, Breach, Check, Metric, Accuracy, Setting, Flag, Code}
}

// Entry is the explanation of a word. Empty fields do not apply.
type Entry struct {
	Word    string   `json:"word"`
	Kind    Kind     `json:"kind"`
	Also    []string `json:"also,omitempty"` // further names
	Meaning string   `json:"meaning"`
	Formula string   `json:"formula,omitempty"`
	Unit    string   `json:"unit,omitempty"`
	Better  string   `json:"better,omitempty"`  // which way a metric improves
	Applies string   `json:"applies,omitempty"` // where it holds: scenarios, commands
	Values  string   `json:"values,omitempty"`  // which ones there are, or are allowed
	Source  string   `json:"source,omitempty"`  // where the rule is written
	Code    Place    `json:"code"`
	Page    string   `json:"page"`
}

// Place is a place in the code of this project.
type Place struct {
	Package string `json:"package"` // its folder: "serving/metrics"
	Name    string `json:"name"`    // a declaration, a field or a method: "Measured.Value"
}

// placeOf reads a place that is written as "serving/metrics.Measured.Value".
func placeOf(text string) Place {
	folder, last := "", text
	if slash := strings.LastIndexByte(text, '/'); slash >= 0 {
		folder, last = text[:slash+1], text[slash+1:]
	}
	name, declared, _ := strings.Cut(last, ".")
	return Place{folder + name, declared}
}

// has says whether the entry goes by a name. A word that ends with a dash stands for all that begin with it.
func (e Entry) has(name string) bool {
	return strings.EqualFold(e.Word, name) || strings.HasSuffix(e.Word, "-") && strings.HasPrefix(name, e.Word) ||
		slices.ContainsFunc(e.Also, func(also string) bool { return strings.EqualFold(also, name) })
}

// Find returns the entries of a word, in any case of letters. A word that begins with dashes is a flag. The error of an
// unknown word names the nearest ones.
func Find(all []Entry, word string) ([]Entry, error) {
	name := strings.TrimLeft(word, "-")
	found := slices.DeleteFunc(slices.Clone(all), func(e Entry) bool {
		return !e.has(name) || name != word && e.Kind != Flag
	})
	if len(found) == 0 && name == word {
		found = statistics(word)
	}
	if len(found) > 0 {
		return found, nil
	}
	return nil, suggest.Unknown("word", word, Words(all))
}

// Words lists the words and their further names, each once, sorted.
func Words(all []Entry) []string {
	var words []string
	for _, e := range all {
		words = append(append(words, e.Word), e.Also...)
	}
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	return slices.Compact(words)
}
