package former

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/submission/result"
	"github.com/plumbline-ml/plumbline/loadgen/mlconf"
)

// section is the section of a round's file that a book stands in.
const section = "former_checker"

// book is what the checker of a round has that those of other rounds have not.
type book struct {
	Table   result.Form       `json:"table"`
	Names   map[string]string `json:"names"`   // of models, where the checker calls them otherwise than the rules
	Mapping map[string]string `json:"mapping"` // of folders to the checker's models, besides the rules' aliases

	Network    bool `json:"network"`     // there is a division network
	OwnMapping bool `json:"own_mapping"` // open submitters name their models in model_mapping.json
	Shape      bool `json:"shape"`       // looks at names, sizes and links of all of a submitter's files
	AllLinks   bool `json:"all_links"`   // takes no link at all, not only no broken one
	Outside    bool `json:"outside"`     // takes no file beside the folders of divisions and submitters

	PowerTexts bool `json:"power_texts"` // wants texts about a power measurement
	EachMetric bool `json:"each_metric"` // wants each of the benchmark's accuracies, and not the first alone

	// A fault of these is told from the first checker on, and refuses the result from that of the round on.
	RefusesAudits      bool `json:"refuses_audits"`
	RefusesSettings    bool `json:"refuses_settings"` // seeds, latencies, queries
	RefusesMeasures    bool `json:"refuses_measurements"`
	RefusesRunFiles    bool `json:"refuses_run_files"`
	RefusesShort       bool `json:"refuses_short"`        // runs set to less than ten minutes
	RefusesAccuracy    bool `json:"refuses_accuracy"`     // files beside those of an accuracy run
	RefusesNoEstimate  bool `json:"refuses_no_estimate"`  // an inferred result without an estimate of early stopping
	Millijoules        bool `json:"millijoules"`          // the unit of energy; before, joules
	PositivePower      bool `json:"positive_power"`       // samples of power of zero and less do not count
	SkipsLines         bool `json:"skips_lines"`          // lines of spl.txt that are no samples are passed over
	RangingRun         bool `json:"ranging_run"`          // reads the result of the ranging run
	AuditsOfRun        bool `json:"audits_of_run"`        // holds the runs of audits to the rules of performance runs
	AuditsWithoutTests bool `json:"audits_without_tests"` // a benchmark without audits needs no folder of them

	// What the checkers of the first rounds had. That they read logs in text and knew no types of systems is the round's:
	// mlconf.Checks.
	CountsByRate bool     `json:"counts_by_rate"` // the log does not say how many queries there were
	DoubleQuotes bool     `json:"double_quotes"`  // an accuracy in JSON has double quotes alone
	LooseFiles   bool     `json:"loose_files"`    // compares numbers of files before their names
	Tests        []string `json:"tests"`          // audits of all models, where they are not the rules'

	EqualIssue []string `json:"equal_issue"` // folders of benchmarks whose samples must be issued equally often
	// SparesAudits are parts of names of folders without audits.
	SparesAudits []string `json:"spares_audits"`
}

func bookOf(rules *mlconf.Rules) (b book, known bool, err error) {
	if known, err = rules.Section(section, &b); err != nil {
		return b, known, fmt.Errorf("rules %s: %w", rules.Name, err)
	}
	return b, known, nil
}
