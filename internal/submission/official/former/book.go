package former

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// bookSection is the section of a round's file that contains a book.
const bookSection = "former_checker"

// checkerBook contains the peculiarities of a round's checker.
type checkerBook struct {
	Table   result.Form       `json:"table"`
	Names   map[string]string `json:"names"`   // the checker's names of models that differ from the rules'
	Mapping map[string]string `json:"mapping"` // folders mapped to the checker's models, in addition to the rules' aliases

	HasNetwork     bool `json:"network"`     // the division network exists
	OwnMapping     bool `json:"own_mapping"` // open submitters map their models in model_mapping.json
	ChecksShape    bool `json:"shape"`       // check names, sizes and links of all of a submitter's files
	RefusesLinks   bool `json:"all_links"`   // refuse all links, not only broken ones
	RefusesOutside bool `json:"outside"`     // refuse files next to the folders of divisions and submitters

	PowerTexts bool `json:"power_texts"` // require texts about a power measurement
	EachMetric bool `json:"each_metric"` // require all of the benchmark's accuracies, not only the first

	// All checkers report the following faults. Only the checkers with the flag refuse the result.
	RefusesAudits      bool `json:"refuses_audits"`
	RefusesSettings    bool `json:"refuses_settings"` // seeds, latencies, queries
	RefusesMeasures    bool `json:"refuses_measurements"`
	RefusesRunFiles    bool `json:"refuses_run_files"`
	RefusesShort       bool `json:"refuses_short"`        // runs with a configured duration below ten minutes
	RefusesAccuracy    bool `json:"refuses_accuracy"`     // additional files of an accuracy run
	RefusesNoEstimate  bool `json:"refuses_no_estimate"`  // an inferred result without an early-stopping estimate
	Millijoules        bool `json:"millijoules"`          // energy is in millijoules; otherwise in joules
	PositivePower      bool `json:"positive_power"`       // ignore power samples of zero and less
	SkipsLines         bool `json:"skips_lines"`          // skip lines of spl.txt that are not samples
	RangingRun         bool `json:"ranging_run"`          // read the result of the ranging run
	AuditsOfRun        bool `json:"audits_of_run"`        // apply the rules of performance runs to the runs of audits
	AuditsWithoutTests bool `json:"audits_without_tests"` // a benchmark without audits needs no folder of audits

	// Peculiarities of the first rounds' checkers. Logs in text form and the lack of system types are properties of the
	// round: mlconf.Checks.
	CountsByRate bool     `json:"counts_by_rate"` // the log lacks the number of queries
	DoubleQuotes bool     `json:"double_quotes"`  // accuracies in JSON must have double quotes
	LooseFiles   bool     `json:"loose_files"`    // compare numbers of files before their names
	Tests        []string `json:"tests"`          // audits of all models, if they differ from the rules'

	EqualIssue []string `json:"equal_issue"` // folders of benchmarks whose samples must be issued equally often
	// SparesAudits lists parts of folder names that exempt from audits.
	SparesAudits []string `json:"spares_audits"`
}

func bookOf(rules *mlconf.Rules) (b checkerBook, known bool, err error) {
	if known, err = rules.Section(bookSection, &b); err != nil {
		return b, known, fmt.Errorf("rules %s: %w", rules.Name, err)
	}
	return b, known, nil
}
