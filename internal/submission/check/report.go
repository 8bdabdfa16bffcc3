package check

import "slices"

// Severity is the consequence of a finding for the submission.
type Severity string

// What a finding means for a submission.
const (
	Reject Severity = "reject" // the submission would, or should, be rejected
	Warn   Severity = "warn"   // a reviewer will ask
	Note   Severity = "note"   // good to know
)

// Verdict is the judgement of a result or of the tree.
type Verdict string

// What the findings come to, together.
const (
	Accepted Verdict = "accept"
	Warned   Verdict = "warn"
	Rejected Verdict = "reject"
)

// Finding is one fault of one file or folder.
type Finding struct {
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"`               // the family: Rules
	Kind     Kind     `json:"kind,omitempty"`     // of the breaches that reviewers act on; empty: none of them
	Path     string   `json:"path"`               // relative to the tree, with slashes; "." is the tree
	Result   string   `json:"result,omitempty"`   // the result folder that it belongs to
	What     string   `json:"what"`               // what is wrong, in a few words
	Found    string   `json:"found,omitempty"`    // the value
	Expected string   `json:"expected,omitempty"` // the value that the rule wants
	// Other is a second file that the finding is about: of the expected value, or the other of two that are alike. It
	// is empty where a rule has the expected value.
	Other  string `json:"other,omitempty"`
	Source string `json:"source"` // where the rule is written
	Do     string `json:"do"`     // what to do
}

// Result is the judgement of one scenario folder.
type Result struct {
	Path     string  `json:"path"`
	Model    string  `json:"model"` // as the rules call it
	Scenario string  `json:"scenario"`
	Metric   float64 `json:"metric,omitempty"`
	Unit     string  `json:"unit,omitempty"`
	Inferred bool    `json:"inferred,omitempty"` // from a run of another scenario
	Power    bool    `json:"power,omitempty"`    // with a power measurement
	LoadGen  string  `json:"loadgen,omitempty"`  // the version that drove the performance run
	Verdict  Verdict `json:"verdict"`
}

// Report is the outcome of a check.
type Report struct {
	Rules    string    `json:"rules"` // the round
	Verdict  Verdict   `json:"verdict"`
	Results  []Result  `json:"results"`
	Findings []Finding `json:"findings"` // by result, those of no result first
	Rejects  int       `json:"rejects"`
	Warnings int       `json:"warnings"`
	Notes    int       `json:"notes"`
	// NotJudged are the rules of the round that cannot be known. What they ask for is neither found nor passed.
	NotJudged []Unjudged `json:"not_judged,omitempty"`
}

// ByResult are the findings by the path of their result; those of none are under "".
func (r *Report) ByResult() map[string][]Finding {
	by := map[string][]Finding{}
	for _, f := range r.Findings {
		by[f.Result] = append(by[f.Result], f)
	}
	return by
}

// judgeFindings counts the findings and makes the verdicts.
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
