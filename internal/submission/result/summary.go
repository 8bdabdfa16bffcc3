package result

import (
	"cmp"
	"slices"
	"strings"
)

// Summary summarizes the results of a tree.
type Summary struct {
	Round   string    `json:"round"`
	Verdict string    `json:"official"` // verdict of the official checker: "ok", "errors" or "crash"
	Results []Result  `json:"results"`
	Without []Without `json:"without_result"`
}

// Result is the result of one scenario folder.
type Result struct {
	Division   string `json:"division"`
	Submitter  string `json:"submitter"`
	System     string `json:"system"` // folder of the system
	SystemName string `json:"system_name"`
	SystemType string `json:"system_type"`
	Benchmark  string `json:"benchmark"` // folder of the benchmark
	Model      string `json:"model"`     // name in the rules
	Scenario   string `json:"scenario"`
	// InferredFrom is the measured scenario if it differs from Scenario.
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
	Name    string `json:"name,omitempty"` // of an accuracy, such as "acc"
	Text    string `json:"value"`
	Rounded string `json:"rounded,omitempty"` // empty: Text is not a number
	Unit    string `json:"unit,omitempty"`
}

// Without is a scenario folder without a result, or a path that the official checker cannot read.
type Without struct {
	Folder  string   `json:"folder"`
	Reasons []string `json:"reasons"`
}

func figureOf(name, text, unit string) Figure {
	rounded, _ := RoundText(text)
	return Figure{name, text, rounded, unit}
}

// Results returns the results in the summary's rows.
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

// inferredFrom returns the log's scenario if it differs from the folder's. Interactive runs log Server.
func (r Row) inferredFrom() string {
	same := strings.EqualFold(r.Logged, r.Scenario) || r.Logged == "Server" && strings.EqualFold(r.Scenario, "Interactive")
	if same {
		return ""
	}
	return r.Logged
}

// splitAccuracies splits the column of accuracies.
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

// Shown returns the figure rounded to the rules' five significant digits, or unchanged if it is not a number.
func (f Figure) Shown() string {
	if f.Rounded != "" {
		return f.Rounded
	}
	return f.Text
}

// AccuracyText returns all accuracies of a result, such as "ROUGE1 38.712, ROUGE2 15.900".
func (r Result) AccuracyText() string { return r.accuracyText(Figure.Shown) }

// AccuracyFound returns all accuracies without rounding.
func (r Result) AccuracyFound() string {
	return r.accuracyText(func(f Figure) string { return f.Text })
}

func (r Result) accuracyText(write func(Figure) string) string {
	parts := make([]string, len(r.Accuracy))
	for i, f := range r.Accuracy {
		parts[i] = strings.TrimSpace(f.Name + " " + write(f))
	}
	return strings.Join(parts, ", ")
}

// Note states from which scenario a result is inferred.
func (r Result) Note() string {
	if r.InferredFrom == "" {
		return ""
	}
	return "inferred from " + r.InferredFrom
}
