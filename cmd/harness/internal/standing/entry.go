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

// RankedEntry is one result in a ranking, either published or the user's own.
type RankedEntry struct {
	// Place is 1 for the best result. Equal results have the same place. 0: the entry has no place.
	Place int  `json:"place"`
	Own   bool `json:"own"`

	Round        string `json:"round"`
	Division     string `json:"division"`
	Availability string `json:"availability,omitempty"` // "available", "preview", "rdi"
	Submitter    string `json:"submitter,omitempty"`
	System       string `json:"system"` // folder name
	SystemName   string `json:"system_name,omitempty"`
	SystemType   string `json:"system_type,omitempty"`
	Benchmark    string `json:"benchmark"` // folder name
	Model        string `json:"model"`     // model name in the rules
	Scenario     string `json:"scenario"`
	InferredFrom string `json:"inferred_from,omitempty"`

	// Value is the ranked value in the ranking's unit; Text is Value with the rules' five significant figures.
	Value    figure.Number   `json:"value"`
	Text     string          `json:"text"`
	Result   result.Figure   `json:"result"` // as in harness submission results
	Power    *result.Figure  `json:"power,omitempty"`
	Accuracy []result.Figure `json:"accuracy"`

	Processor    string `json:"processor,omitempty"`
	Accelerator  string `json:"accelerator,omitempty"`
	Accelerators int    `json:"accelerators,omitempty"` // of all nodes; 0: none or unknown
	Nodes        int    `json:"nodes,omitempty"`        // 0: unknown
	Framework    string `json:"framework,omitempty"`

	Tree   string `json:"tree,omitempty"` // as the user named it
	Folder string `json:"folder"`         // in the tree, or the run's folder

	at string // absolute path without links
}

// reportEntries returns the results in the checker's report of the tree at root. tree is the user's name for it.
func reportEntries(tree, root string, r *checker.Report) []RankedEntry {
	list := []RankedEntry{}
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
		list = append(list, RankedEntry{
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

// acceleratorCount returns the number of accelerators in all nodes. Tables before v5.0 contain the number per node.
func acceleratorCount(row result.Row) int {
	return cmp.Or(parseCount(row.TotalAccelerators), parseCount(row.AcceleratorsPerNode)*parseCount(row.Nodes))
}

// knownText returns text unless it is "N/A", "-" or another placeholder.
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

// StatedMachine describes the machine of the result: "8 x Accel X", or the processor.
func (e RankedEntry) Machine() string {
	switch {
	case e.Accelerators > 1 && e.Accelerator != "":
		return strconv.Itoa(e.Accelerators) + " x " + e.Accelerator
	case e.Accelerator != "":
		return e.Accelerator
	}
	return e.Processor
}

// Name returns the submitter and the system, or the name of the user's own run.
func (e RankedEntry) Name() string {
	if e.Submitter == "" {
		return e.System
	}
	return e.Submitter + " / " + e.System
}

// AccuracyText returns all accuracies: "ROUGE1 38.712, ROUGE2 15.900".
func (e RankedEntry) AccuracyText() string { return result.Result{Accuracy: e.Accuracy}.AccuracyText() }

// PowerText returns the power with its unit, or "" if it was not measured.
func (e RankedEntry) PowerText() string {
	if e.Power == nil {
		return ""
	}
	return e.Power.Shown() + " " + e.Power.Unit
}
