package result

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// Summary summarizes a tree's runs, for people and for programs.
type Summary struct {
	Round   string    `json:"round"`
	Verdict string    `json:"official"` // of the official checker: "ok", "errors" or "crash"
	Results []Result  `json:"results"`
	Without []Without `json:"without_result"`
}

// Result is the result of one scenario folder.
type Result struct {
	Division   string `json:"division"`
	Submitter  string `json:"submitter"`
	System     string `json:"system"` // its folder
	SystemName string `json:"system_name"`
	SystemType string `json:"system_type"`
	Benchmark  string `json:"benchmark"` // its folder
	Model      string `json:"model"`     // of the rules
	Scenario   string `json:"scenario"`
	// InferredFrom is the scenario that was measured, where it is another one.
	InferredFrom string   `json:"inferred_from,omitempty"`
	Result       Figure   `json:"result"`
	Accuracy     []Figure `json:"accuracy"`
	Power        *Figure  `json:"power,omitempty"`
	DesignPower  string   `json:"design_power_watts,omitempty"`
	PrivateID    string   `json:"private_id,omitempty"`
	Folder       string   `json:"folder"`
}

// Figure is a number as found and as rounded to the rules' five significant figures.
type Figure struct {
	Name    string `json:"name,omitempty"` // of an accuracy: "acc"
	Text    string `json:"value"`
	Rounded string `json:"rounded,omitempty"` // empty where Text is no number
	Unit    string `json:"unit,omitempty"`
}

// Without is a scenario folder without a result, or a path that the official checker cannot read.
type Without struct {
	Folder  string   `json:"folder"`
	Reasons []string `json:"reasons"`
}

func figureOf(name, text, unit string) Figure {
	rounded, _ := Rounded(text)
	return Figure{name, text, rounded, unit}
}

// Results are those of the summary's rows.
func Results(rows []Row) []Result {
	list := []Result{}
	for i, r := range rows {
		if i > 0 && r.HasPower && rows[i-1].Location == r.Location {
			power := figureOf("", r.Result, r.Units)
			list[len(list)-1].Power = &power
			continue
		}
		design := r.DesignPower
		if design == "None" {
			design = ""
		}
		list = append(list, Result{
			Division: r.Division, Submitter: r.Organization, System: r.Platform, SystemName: r.SystemName,
			SystemType: r.SystemType, Benchmark: r.Model, Model: r.MLPerfModel, Scenario: r.Scenario,
			InferredFrom: r.inferredFrom(), Result: figureOf("", r.Result, cmp.Or(r.Counted, r.Units)),
			Accuracy:    r.splitAccuracies(),
			DesignPower: design, PrivateID: r.PrivateID,
			Folder: strings.TrimSuffix(r.Location, "/performance/run_1"),
		})
	}
	return list
}

// inferredFrom is the log's scenario where it is not the folder's; Interactive runs log Server.
func (r Row) inferredFrom() string {
	same := strings.EqualFold(r.Logged, r.Scenario) || r.Logged == "Server" && strings.EqualFold(r.Scenario, "Interactive")
	if same {
		return ""
	}
	return r.Logged
}

// splitAccuracies takes the column of accuracies apart.
func (r Row) splitAccuracies() []Figure {
	list, column := []Figure{}, r.Accuracy
	if r.Metric != "" {
		return append(list, figureOf(r.Metric, column, ""))
	}
	words := strings.Fields(column)
	for pair := range slices.Chunk(words, 2) {
		if len(pair) == 2 {
			list = append(list, figureOf(strings.TrimSuffix(pair[0], ":"), pair[1], ""))
		}
	}
	return list
}

// Shown is the figure with the rules' five significant figures, or as it was found where it is no number.
func (f Figure) Shown() string {
	if f.Rounded != "" {
		return f.Rounded
	}
	return f.Text
}

// AccuracyText is all accuracies of a result: "ROUGE1 38.712, ROUGE2 15.900".
func (r Result) AccuracyText() string { return r.accuracyText(Figure.Shown) }

// AccuracyFound is all accuracies as they were found.
func (r Result) AccuracyFound() string {
	return r.accuracyText(func(f Figure) string { return f.Text })
}

func (r Result) accuracyText(write func(Figure) string) string {
	parts := lists.Map(r.Accuracy, func(f Figure) string { return strings.TrimSpace(f.Name + " " + write(f)) })
	return strings.Join(parts, ", ")
}

// Note says where a result is inferred from.
func (r Result) Note() string {
	if r.InferredFrom == "" {
		return ""
	}
	return "inferred from " + r.InferredFrom
}
