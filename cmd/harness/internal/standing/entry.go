package standing

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/official/checker"
	"github.com/plumbline-ml/plumbline/internal/submission/result"
)

// Entry is one result in a ranking, either published or the user's own.
type Entry struct {
	// Place is 1 for the best; results that are equal share one. 0: the entry has no place.
	Place int  `json:"place"`
	Own   bool `json:"own"`

	Round        string `json:"round"`
	Division     string `json:"division"`
	Availability string `json:"availability,omitempty"` // "available", "preview", "rdi"
	Submitter    string `json:"submitter,omitempty"`
	System       string `json:"system"` // the folder's name
	SystemName   string `json:"system_name,omitempty"`
	SystemType   string `json:"system_type,omitempty"`
	Benchmark    string `json:"benchmark"` // the folder's name
	Model        string `json:"model"`     // of the rules
	Scenario     string `json:"scenario"`
	InferredFrom string `json:"inferred_from,omitempty"`

	// Value is what is ranked, in the ranking's unit; Text is it with the rules' five significant figures.
	Value    figure.Number   `json:"value"`
	Text     string          `json:"text"`
	Result   result.Figure   `json:"result"` // as submission results prints it
	Power    *result.Figure  `json:"power,omitempty"`
	Accuracy []result.Figure `json:"accuracy"`

	Processor    string `json:"processor,omitempty"`
	Accelerator  string `json:"accelerator,omitempty"`
	Accelerators int    `json:"accelerators,omitempty"` // of all nodes; 0: none, or not known
	Nodes        int    `json:"nodes,omitempty"`        // 0: not known
	Framework    string `json:"framework,omitempty"`

	Tree   string `json:"tree,omitempty"` // as it was named
	Folder string `json:"folder"`         // in the tree, or of the run

	at string // the folder on this machine, without links
}

// reportEntries are the results of the report of a tree at root, which was named otherwise.
func reportEntries(tree, root string, r *checker.Report) []Entry {
	list := []Entry{}
	if whole, err := filepath.EvalSymlinks(root); err == nil {
		root = whole
	}
	if whole, err := filepath.Abs(root); err == nil {
		root = whole
	}
	rows := map[string]result.Row{}
	for _, row := range r.Rows {
		rows[strings.TrimSuffix(row.Location, "/performance/run_1")] = row
	}
	for _, found := range r.Summary().Results {
		row := rows[found.Folder]
		list = append(list, Entry{
			Round: r.Round, Division: found.Division, Availability: strings.ToLower(row.Availability),
			Submitter: found.Submitter, System: found.System, SystemName: found.SystemName, SystemType: found.SystemType,
			Benchmark: found.Benchmark, Model: found.Model, Scenario: foldScenario(found.Scenario),
			InferredFrom: found.InferredFrom, Result: found.Result, Power: found.Power, Accuracy: found.Accuracy,
			Processor: row.HostProcessor, Accelerator: knownText(row.Accelerator), Accelerators: acceleratorCount(row),
			Nodes: parseCount(row.Nodes), Framework: row.Framework, Tree: tree, Folder: found.Folder,
			at: filepath.Join(root, filepath.FromSlash(found.Folder)),
		})
	}
	return list
}

// acceleratorCount are those of all nodes; the tables before v5.0 have those of a node alone.
func acceleratorCount(row result.Row) int {
	return cmp.Or(parseCount(row.TotalAccelerators), parseCount(row.AcceleratorsPerNode)*parseCount(row.Nodes))
}

// knownText is a text that says something: descriptions write "N/A" or "-" where there is nothing.
func knownText(text string) string {
	text = strings.TrimSpace(text)
	switch strings.ToLower(text) {
	case "n/a", "na", "-", "none", "no", "null":
		return ""
	}
	return text
}

func parseCount(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// Machine is what the result was measured on, in a few words: "8 x Accel X", or the processor.
func (e Entry) Machine() string {
	switch {
	case e.Accelerators > 1 && e.Accelerator != "":
		return strconv.Itoa(e.Accelerators) + " x " + e.Accelerator
	case e.Accelerator != "":
		return e.Accelerator
	}
	return e.Processor
}

// Name is the submitter and the system, or what a run of one's own is called.
func (e Entry) Name() string {
	if e.Submitter == "" {
		return e.System
	}
	return e.Submitter + " / " + e.System
}

// AccuracyText is all accuracies: "ROUGE1 38.712, ROUGE2 15.900".
func (e Entry) AccuracyText() string { return result.Result{Accuracy: e.Accuracy}.AccuracyText() }

// PowerText is the power, with its unit; empty where none was measured.
func (e Entry) PowerText() string {
	if e.Power == nil {
		return ""
	}
	return e.Power.Shown() + " " + e.Power.Unit
}
