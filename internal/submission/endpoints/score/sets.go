package score

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// SampleRow contains the columns of an accuracy file's row except the prompt.
type SampleRow struct {
	Set    string            // column dataset; empty: missing
	Truths map[string]string // by column
	Prompt string            // a key that is equal for equal prompts
}

// Scoring is the official client's scoring of a data set.
type Scoring struct {
	Method    string `json:"eval_method"`
	Truth     string `json:"ground_truth"` // name of a column; empty: DefaultTruth
	Extractor string `json:"extractor"`
	Repeats   int    `json:"num_repeats"`
}

// Columns of the accuracy files of all models.
const (
	SetColumn    = "dataset"
	DefaultTruth = "ground_truth"
)

// ScoredSet is a data set of an accuracy run.
type ScoredSet struct {
	Name string // name in the official client
	Scoring
	// Rows contains the indices of the set's rows in the file, from 0. Of rows with equal prompts it contains only the
	// first.
	Rows []int
}

// SetsOfModel returns the data sets of a model's accuracy run, without rows.
func SetsOfModel(client endpoints.ClientSettings) (all []ScoredSet, err error) {
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

// TruthColumns returns the columns that can contain the truths in a model's accuracy file.
func TruthColumns(client endpoints.ClientSettings) []string {
	columns := []string{DefaultTruth}
	sets, _ := SetsOfModel(client) // checked when the rules were read
	for _, s := range sets {
		if s.Truth != "" && !slices.Contains(columns, s.Truth) {
			columns = append(columns, s.Truth)
		}
	}
	return columns
}

// rowTruth returns the truth of a row from the set's column, or else from DefaultTruth.
func (s *ScoredSet) rowTruth(r *SampleRow) (truth string, ok bool) {
	for _, column := range []string{s.Truth, DefaultTruth} {
		if truth, ok = r.Truths[column]; ok {
			return truth, true
		}
	}
	return "", false
}

// matchesName reports whether a row's name of its data set denotes this set. For example, aime25 denotes
// aime25::gptoss.
func (s *ScoredSet) matchesName(name string) bool {
	short, _, _ := strings.Cut(s.Name, "::")
	return strings.Contains(strings.ToLower(name), short)
}

// SplitRows assigns the rows to a model's data sets. It omits sets without rows. Its error names the first row without
// a known set or a truth.
func SplitRows(client endpoints.ClientSettings, rows []SampleRow) ([]ScoredSet, error) {
	sets, err := SetsOfModel(client)
	if err != nil || len(sets) == 0 {
		return nil, err
	}
	seen := map[[2]string]bool{}
	for i := range rows {
		r := &rows[i]
		at := 0
		if len(sets) > 1 && r.Set != "" {
			at = slices.IndexFunc(sets, func(s ScoredSet) bool { return s.matchesName(r.Set) })
		}
		if at < 0 {
			return nil, fmt.Errorf("row %d is of the data set %q, want %s", i+1, r.Set, listNames(sets))
		}
		s := &sets[at]
		if _, ok := s.rowTruth(r); !ok {
			return nil, fmt.Errorf("row %d has no truth: want a column %s", i+1, strings.Join(TruthColumns(client), " or "))
		}
		if key := [2]string{s.Name, r.Prompt}; !seen[key] {
			seen[key] = true
			s.Rows = append(s.Rows, i)
		}
	}
	return slices.DeleteFunc(sets, func(s ScoredSet) bool { return len(s.Rows) == 0 }), nil
}

// listNames returns the names of sets in the form used by rows.
func listNames(sets []ScoredSet) string {
	names := make([]string, len(sets))
	for i, s := range sets {
		names[i], _, _ = strings.Cut(s.Name, "::")
	}
	return "a name with one of " + strings.Join(names, ", ") + " in it"
}

// RowsToSend returns the rows in the order of sending: all rows once per repeat.
func (s *ScoredSet) RowsToSend() []int {
	return slices.Repeat(s.Rows, s.Repeats)
}
