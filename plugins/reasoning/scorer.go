package reasoning

import (
	"slices"

	"github.com/plumbline-ml/plumbline/accuracy/reasoning"
	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/scoring"
)

// exactScorer reports what the official script of a family finds in a log.
type exactScorer struct {
	grader *reasoning.LogScorer
	whole  bool          // token_data stands before data
	note   func() string // of what programs ran by; nil: nothing
	worst  *worstGallery
}

// newScorer scores the answers to items, of which it shows so many; o has all else.
func newScorer(s *modelSettings, items []prompts.PromptSample, o reasoning.GradingOptions, note func() string,
	exhibits int) sdk.Scorer {
	o.Rows = make([]reasoning.TruthRow, len(items))
	for i, item := range items {
		o.Rows[i] = reasoning.TruthRow{Set: item.Task, Truth: item.Output}
	}
	worst := &worstGallery{
		script: o.Script, maxPerSet: min(exhibits, sdk.MaxExhibits), items: items, decode: o.Decode,
		sets: map[string][]reasoning.GradedAnswer{},
	}
	if exhibits > 0 {
		o.Observe = worst.addAnswer
	}
	of := &exactScorer{reasoning.New(o), s.Whole, note, worst}
	return scoring.New(scoring.OfEntries(of.addEntry, of.grader.Result), scoring.Log{Samples: len(items)}, of.scoreAnswers)
}

// addEntry grades an answer; the official script of a family has a way of its own to count what is missing or again.
// Logs of gpt-oss' reference in Server have its first token in token_data alone: with first_token=token_data it is put
// in its place.
func (s *exactScorer) addEntry(e mllog.AccuracyEntry) error {
	data := e.Data
	if s.whole {
		data = slices.Concat(e.TokenData, e.Data)
	}
	return s.grader.Add(int64(e.QSLIndex), data)
}

// The metrics. The last is that of the sets without programs, where programs were not executed.
const (
	exactMatch      = "exact_match"
	tokensPerSample = "tokens_per_sample"
	withoutPrograms = "exact_match_without_programs"
)

func (s *exactScorer) scoreAnswers(r reasoning.LogResult, _ scoring.Counts) (sdk.Score, error) {
	score := sdk.Score{Samples: countDistinct(r), OfficialText: r.String(), Notes: scoreNotes(r),
		Exhibits: s.worst.listExhibits()}
	if s.note != nil {
		score.Notes = append(score.Notes, s.note())
	}
	if v, ok := r.ExactMatch(); ok {
		score.Metrics = append(score.Metrics, sdk.Metric{Name: exactMatch, Unit: "%", Value: v})
	} else {
		score.Metrics = append(score.Metrics, sdk.Metric{Name: withoutPrograms, Unit: "%", Value: gradedMatch(r)})
	}
	score.Metrics = append(score.Metrics, sdk.Metric{Name: tokensPerSample, Value: r.TokensPerSample()})
	return score, nil
}

// gradedMatch is the exact match of the sets of which all answers are graded.
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

// scoreNotes say what a reader should know of a score.
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
			"other sets; --param execute=python3 executes them", withoutPrograms)
	return n
}

// countDistinct counts the samples that were scored.
func countDistinct(r reasoning.LogResult) int {
	if r.Script == reasoning.GPTOSS120B { // whose entries all count
		return r.Answers - r.Duplicates
	}
	return r.Answers
}
