package score

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// SampleRow contains the columns of an accuracy file's row other than the prompt.
type SampleRow struct {
	Set    string            // the column dataset; empty: the row has none
	Truths map[string]string // by column
	Prompt string            // the same of rows that ask the same
}

// Scoring is the official client's scoring of a data set.
type Scoring struct {
	Method    string `json:"eval_method"`
	Truth     string `json:"ground_truth"` // a column; empty: DefaultTruth
	Extractor string `json:"extractor"`
	Repeats   int    `json:"num_repeats"`
}

// The columns of accuracy files that all models have.
const (
	SetColumn    = "dataset"
	DefaultTruth = "ground_truth"
)

// ScoredSet is a data set of an accuracy run.
type ScoredSet struct {
	Name string // the client's
	Scoring
	// Rows are those of the file that are of the set, from 0: of rows that ask the same the first.
	Rows []int
}

// SetsOf are the data sets of a model's accuracy run, without rows.
func SetsOf(client endpoints.ClientSettings) (all []ScoredSet, err error) {
	for _, of := range client.Accuracy {
		s := ScoredSet{Name: of.Name}
		if err := json.Unmarshal(of.Scoring, &s.Scoring); err != nil {
			return nil, fmt.Errorf("accuracy_config of %s: %w", of.Name, err)
		}
		s.Repeats = max(s.Repeats, 1)
		all = append(all, s)
	}
	return all, nil
}

// TruthColumns are the columns that may have the truths of a model's accuracy file.
func TruthColumns(client endpoints.ClientSettings) []string {
	columns := []string{DefaultTruth}
	sets, _ := SetsOf(client) // the rules were read
	for _, s := range sets {
		if s.Truth != "" && !slices.Contains(columns, s.Truth) {
			columns = append(columns, s.Truth)
		}
	}
	return columns
}

// truthOf is the truth of a row by the set's column, or by the one that all have.
func (s *ScoredSet) truthOf(r *SampleRow) (truth string, ok bool) {
	for _, column := range []string{s.Truth, DefaultTruth} {
		if truth, ok = r.Truths[column]; ok {
			return truth, true
		}
	}
	return "", false
}

// matches says whether the name that a row gives its data set is of this one: aime25 of aime25::gptoss.
func (s *ScoredSet) matches(name string) bool {
	short, _, _ := strings.Cut(s.Name, "::")
	return strings.Contains(strings.ToLower(name), short)
}

// SplitRows says which rows are of which data set of a model; sets without rows are left out. The error names the first
// row whose set or truth is missing.
func SplitRows(client endpoints.ClientSettings, rows []SampleRow) ([]ScoredSet, error) {
	sets, err := SetsOf(client)
	if err != nil || len(sets) == 0 {
		return nil, err
	}
	seen := map[[2]string]bool{}
	for i := range rows {
		r := &rows[i]
		at := 0
		if len(sets) > 1 && r.Set != "" {
			at = slices.IndexFunc(sets, func(s ScoredSet) bool { return s.matches(r.Set) })
		}
		if at < 0 {
			return nil, fmt.Errorf("row %d is of the data set %q, want %s", i+1, r.Set, listNames(sets))
		}
		s := &sets[at]
		if _, ok := s.truthOf(r); !ok {
			return nil, fmt.Errorf("row %d has no truth: want a column %s", i+1, strings.Join(TruthColumns(client), " or "))
		}
		if key := [2]string{s.Name, r.Prompt}; !seen[key] {
			seen[key] = true
			s.Rows = append(s.Rows, i)
		}
	}
	return slices.DeleteFunc(sets, func(s ScoredSet) bool { return len(s.Rows) == 0 }), nil
}

// listNames are the names of sets, as a row may give them.
func listNames(sets []ScoredSet) string {
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i], _, _ = strings.Cut(s.Name, "::")
	}
	return "a name with one of " + strings.Join(names, ", ") + " in it"
}

// Asks are the rows in the order in which they are asked: each repeat in whole.
func (s *ScoredSet) Asks() []int {
	return slices.Repeat(s.Rows, s.Repeats)
}
