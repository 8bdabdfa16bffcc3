package reasoning

import (
	"slices"

	"github.com/plumbline-ml/plumbline/accuracy/reasoning"
	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// exactScorer reports the results of a family's official script.
type exactScorer struct {
	grader           *reasoning.LogScorer
	prependTokenData bool          // token_data is prepended to data
	note             func() string // describes the programs' environment; nil: no programs run
	worst            *worstGallery
}

// newScorer returns a scorer of the answers to items. exhibits is the number of answers to show; o contains the other
// options.
func newScorer(s *modelSettings, items []prompts.PromptSample, o reasoning.GradingOptions, note func() string,
	exhibits int) sdk.Scorer {
	o.Rows = make([]reasoning.TruthRow, len(items))
	for i, item := range items {
		o.Rows[i] = reasoning.TruthRow{Set: item.Task, Truth: item.Output}
	}
	worst := &worstGallery{
		script: o.Script, maxPerSet: min(exhibits, sdk.MaxExhibits), samples: items, decode: o.Decode,
		sets: map[string][]reasoning.GradedAnswer{},
	}
	if exhibits > 0 {
		o.Observe = worst.addAnswer
	}
	of := &exactScorer{reasoning.New(o), s.PrependTokenData, note, worst}
	return scoring.New(scoring.OfEntries(of.addEntry, of.grader.Result), scoring.Log{Samples: len(items)}, of.scoreAnswers)
}

// addEntry grades an answer. The official scripts count missing and repeated answers differently. In Server logs of
// gpt-oss' reference, token_data contains only the first token and data the others; with first_token=token_data they
// are joined.
func (s *exactScorer) addEntry(e mllog.AccuracyEntry) error {
	data := e.Data
	if s.prependTokenData {
		data = slices.Concat(e.TokenData, e.Data)
	}
	return s.grader.Add(int64(e.QSLIndex), data)
}

// Names of the metrics. withoutProgramsMetric covers only the sets without programs; it is reported if programs were
// not executed.
const (
	exactMatchMetric      = "exact_match"
	tokensPerSampleMetric = "tokens_per_sample"
	withoutProgramsMetric = "exact_match_without_programs"
)

func (s *exactScorer) scoreAnswers(r reasoning.LogResult, _ scoring.Counts) (sdk.Score, error) {
	score := sdk.Score{Samples: countDistinct(r), OfficialText: r.String(), Notes: scoreNotes(r),
		Exhibits: s.worst.listExhibits()}
	if s.note != nil {
		score.Notes = append(score.Notes, s.note())
	}
	if v, ok := r.ExactMatch(); ok {
		score.Metrics = append(score.Metrics, sdk.Metric{Name: exactMatchMetric, Unit: "%", Value: v})
	} else {
		score.Metrics = append(score.Metrics, sdk.Metric{Name: withoutProgramsMetric, Unit: "%", Value: gradedMatch(r)})
	}
	score.Metrics = append(score.Metrics, sdk.Metric{Name: tokensPerSampleMetric, Value: r.TokensPerSample()})
	return score, nil
}

// gradedMatch returns the exact match over the sets whose answers are all graded.
func gradedMatch(r reasoning.LogResult) float64 {
	of := r
	of.Sets, of.Answers, of.Right, of.NotExecuted = nil, 0, 0, 0
	for _, set := range r.Sets {
		if set.NotExecuted == 0 {
			of.Sets = append(of.Sets, set)
			of.Answers, of.Right = of.Answers+set.Answers, of.Right+set.Right
		}
	}
	if of.Answers == 0 {
		return 0
	}
	v, _ := of.ExactMatch()
	return v
}

// scoreNotes returns notes about the limits of a score.
func scoreNotes(r reasoning.LogResult) sdk.Notes {
	var n sdk.Notes
	if r.Script == reasoning.DeepSeekR1 {
		n.AddDropped(r.Duplicates)
	} else {
		n.AddCount(r.Duplicates,
			"%d entries are of samples that had one already, and count as well, as in the official script")
	}
	n.AddMissing(r.Missing, countDistinct(r)+r.Missing, "samples", "the metrics are those")
	n.AddCount(r.Outside, "%d entries are of samples beyond the data set and were dropped: the log seems to be of "+
		"another "+
		"one (--accuracy-dataset names that of accuracy runs)")
	n.AddCount(r.Negative, "%d entries have negative indices, which count from the end, as in the official script")
	n.AddCount(r.Damaged, "%d entries hold no token ids and were dropped")
	n.AddCount(r.BadTruths, "%d answers met a truth that no answer can be equal to, and count as wrong; the first: %s",
		r.BadTruth)
	n.AddCount(r.Numeric, "%d answers of mathematics are equal in figures, at 40 digits, and not by exact arithmetic")
	if by := r.Decisions(); by != "" {
		n.Add("answers of mathematics by what decided: %s (algebra: %s)", by, r.Algebra)
	}
	n.AddCount(r.Loose, "%d letters stand alone, without a word that announces the answer; %d of them are right",
		r.LooseRight)
	n.AddCount(r.NotExecuted,
		"%d programs were not executed, so that there is no official exact_match: %s is that of the "+
			"other sets; --param execute=python3 executes them", withoutProgramsMetric)
	return n
}

// countDistinct returns the number of scored samples.
func countDistinct(r reasoning.LogResult) int {
	if r.Script == reasoning.GPTOSS120B { // every entry counts
		return r.Answers - r.Duplicates
	}
	return r.Answers
}
