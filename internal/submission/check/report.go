package check

import "slices"

// Severity is the consequence of a finding for the submission.
type Severity string

// The severities.
const (
	Reject Severity = "reject" // the submission would or should be rejected
	Warn   Severity = "warn"   // a reviewer will ask
	Note   Severity = "note"   // for information
)

// Verdict is the judgement of a result or of the tree.
type Verdict string

// The verdicts.
const (
	Accepted Verdict = "accept"
	Warned   Verdict = "warn"
	Rejected Verdict = "reject"
)

// Finding is one fault of one file or folder.
type Finding struct {
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"`               // name of the family; see Rules
	Kind     Kind     `json:"kind,omitempty"`     // for breaches that reviewers act on; otherwise empty
	Path     string   `json:"path"`               // relative to the tree, with slashes; "." for the tree
	Result   string   `json:"result,omitempty"`   // folder of the result
	What     string   `json:"what"`               // the fault in a few words
	Found    string   `json:"found,omitempty"`    // the found value
	Expected string   `json:"expected,omitempty"` // the value that the rule requires
	// Other is a second file that the finding is about: the origin of the expected value, or the other one of two equal
	// files. It is empty if a rule defines the expected value.
	Other  string `json:"other,omitempty"`
	Source string `json:"source"` // where the rule is written
	Do     string `json:"do"`     // advice
}

// Result is the judgement of one scenario folder.
type Result struct {
	Path     string  `json:"path"`
	Model    string  `json:"model"` // name in the rules
	Scenario string  `json:"scenario"`
	Metric   float64 `json:"metric,omitempty"`
	Unit     string  `json:"unit,omitempty"`
	Inferred bool    `json:"inferred,omitempty"` // inferred from a run of another scenario
	Power    bool    `json:"power,omitempty"`    // with a power measurement
	LoadGen  string  `json:"loadgen,omitempty"`  // LoadGen version of the performance run
	Verdict  Verdict `json:"verdict"`
}

// Report is the result of a check.
type Report struct {
	Rules    string    `json:"rules"` // the round
	Verdict  Verdict   `json:"verdict"`
	Results  []Result  `json:"results"`
	Findings []Finding `json:"findings"` // by result, starting with findings without a result
	Rejects  int       `json:"rejects"`
	Warnings int       `json:"warnings"`
	Notes    int       `json:"notes"`
	// NotJudged lists the rules that the round leaves undefined. The check neither applies nor passes them.
	NotJudged []Unjudged `json:"not_judged,omitempty"`
}

// ByResult returns the findings by the path of their result. The key "" contains findings without a result.
func (r *Report) ByResult() map[string][]Finding {
	by := map[string][]Finding{}
	for _, f := range r.Findings {
		by[f.Result] = append(by[f.Result], f)
	}
	return by
}

// judgeFindings counts the findings and sets the verdicts.
func (r *Report) judgeFindings() {
	by := r.ByResult()
	for _, f := range r.Findings {
		switch f.Severity {
		case Reject:
			r.Rejects++
		case Warn:
			r.Warnings++
		default:
			r.Notes++
		}
	}
	for i := range r.Results {
		r.Results[i].Verdict = verdictOf(by[r.Results[i].Path])
	}
	r.Verdict = verdictOf(r.Findings)
}

func verdictOf(list []Finding) Verdict {
	has := func(s Severity) bool {
		return slices.ContainsFunc(list, func(f Finding) bool { return f.Severity == s })
	}
	switch {
	case has(Reject):
		return Rejected
	case has(Warn):
		return Warned
	}
	return Accepted
}
