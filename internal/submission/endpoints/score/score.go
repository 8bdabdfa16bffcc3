package score

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/plumbline-ml/plumbline/accuracy/generation"
	"github.com/plumbline-ml/plumbline/accuracy/reasoning"
	"github.com/plumbline-ml/plumbline/accuracy/rouge"
	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/reasoning/extract"
	files "github.com/plumbline-ml/plumbline/internal/serving/formats/endpoints"
	"github.com/plumbline-ml/plumbline/preprocess/text/punkt"
)

// ReceivedText is the answer to a row.
type ReceivedText struct {
	Row  int
	Text string // reasoning and answer without a separator; empty: the request failed or the answer was empty
}

// setScorer scores the answers of a set. score is a number, or metrics by name, or nil if there is none. detail is the
// entry's breakdown. whole reports whether all answers were graded.
type setScorer func(s *ScoredSet, rows []SampleRow, answers []ReceivedText) (score, detail any, whole bool, err error)

// ProgramMethod is the eval_method of sets whose answers are programs.
const ProgramMethod = "code_bench_scorer"

// scorersByMethod contains the official client's scorers by eval_method.
var scorersByMethod = map[string]setScorer{
	"rouge":                     scoreRouge,
	"pass_at_1":                 scoreMatches,
	ProgramMethod:               skipPrograms,
	"legacy_mlperf_deepseek_r1": scoreSubsets,
}

// Score returns the score entry of a set. took is the duration of the accuracy run. Missing answers count as wrong.
func (s *ScoredSet) Score(rows []SampleRow, answers []ReceivedText, took time.Duration) (files.ScoreEntry, error) {
	of, known := scorersByMethod[s.Method]
	if !known {
		return files.ScoreEntry{}, fmt.Errorf("%s: no scorer %q is here", s.Name, s.Method)
	}
	score, detail, whole, err := of(s, rows, answers)
	if err != nil {
		return files.ScoreEntry{}, fmt.Errorf("%s: %w", s.Name, err)
	}
	issued, empty := len(s.Rows)*s.Repeats, 0
	for _, a := range answers {
		if a.Text == "" {
			empty++
		}
	}
	e := files.ScoreEntry{Dataset: s.Name, Score: score, Unit: len(s.Rows), Repeats: s.Repeats, Samples: issued,
		Took: took.Round(time.Millisecond).Seconds(), Complete: whole && len(answers) == issued, Type: files.AccuracyType}
	if s.Truth != "" {
		e.GroundTruth = &s.Truth
	}
	if class := extractorClasses[s.Extractor]; class != "" {
		e.Extractor = &class
	}
	counts := map[string]int{"issued": issued, "scored": len(answers) - empty, "empty": empty,
		"missing": issued - len(answers)}
	if e.Counts, err = json.Marshal(counts); err == nil && detail != nil {
		e.Breakdown, err = json.Marshal(detail)
	}
	return e, err
}

// extractorClasses maps extractors to their names in the official client's entries.
var extractorClasses = map[string]string{"identity_extractor": "IdentityExtractor",
	"boxed_math_extractor": "BoxedMathExtractor", "abcd_extractor": "ABCDExtractor",
	"python_code_extractor": "PythonCodeExtractor"}

// scoreRouge returns the mean ROUGE scores of the answers in percent, as texts rounded to four decimals, and the number
// of characters of the answers.
func scoreRouge(s *ScoredSet, rows []SampleRow, answers []ReceivedText) (score, detail any, whole bool, err error) {
	split, compare := punkt.NewSplitter(punkt.English()), rouge.New(rouge.TokenizerOptions{Stem: true})
	var sums [4]float64
	length := 0
	for _, a := range answers {
		truth, _ := s.rowTruth(&rows[a.Row])
		predicted := generation.SentenceLines(split, a.Text)
		r := compare.Score(generation.SentenceLines(split, truth), predicted)
		for i, v := range [...]float64{r.Rouge1.F, r.Rouge2.F, r.RougeL.F, r.RougeLsum.F} {
			sums[i] += v
		}
		length += utf8.RuneCountInString(predicted)
	}
	if len(answers) == 0 {
		return nil, nil, false, nil
	}
	metrics := map[string]any{"gen_len": strconv.Itoa(length), "gen_num": len(answers)}
	for i, name := range [...]string{"rouge1", "rouge2", "rougeL", "rougeLsum"} {
		metrics[name] = pyfloat.Repr(pyfloat.Round(sums[i]/float64(len(answers))*100, 4))
	}
	return metrics, nil, true, nil
}

// scoreMatches returns the share of issued samples whose extracted answer is correct.
func scoreMatches(s *ScoredSet, rows []SampleRow, answers []ReceivedText) (score, detail any, whole bool, err error) {
	right := 0
	for _, a := range answers {
		truth, _ := s.rowTruth(&rows[a.Row])
		switch s.Extractor {
		case "boxed_math_extractor":
			if found, ok := extract.LastBoxed(a.Text); ok && found == truth {
				right++
			}
		case "abcd_extractor":
			if found := extract.MarkedChoice(a.Text); found != "" && found == letterOf(truth) {
				right++
			}
		default:
			return nil, nil, false, fmt.Errorf("no extractor %q is here", s.Extractor)
		}
	}
	return float64(right) / float64(len(s.Rows)*s.Repeats), nil, true, nil
}

// letterOf returns the letter of a choice, which files write as A or choice1.
func letterOf(truth string) string {
	if number, ok := strings.CutPrefix(truth, "choice"); ok && len(number) == 1 && number >= "1" && number <= "4" {
		return string('A' + number[0] - '1')
	}
	return strings.ToUpper(truth)
}

// skipPrograms returns no score, because this program does not execute programs written by a model.
func skipPrograms(*ScoredSet, []SampleRow, []ReceivedText) (score, detail any, whole bool, err error) {
	return nil, nil, false, nil
}

// subsetScores is the breakdown of an entry whose rows belong to several subsets.
type subsetScores struct {
	Scores   map[string]float64 `json:"subset_scores"` // in percent
	Samples  int                `json:"total_samples"`
	Complete bool               `json:"complete"`
}

// scoreSubsets returns the exact match of DeepSeek-R1's set in percent. It excludes subsets of programs, because this
// program does not execute them.
func scoreSubsets(s *ScoredSet, rows []SampleRow, answers []ReceivedText) (score, detail any, whole bool, err error) {
	o := reasoning.GradingOptions{Script: reasoning.DeepSeekR1, Rows: make([]reasoning.TruthRow, len(rows))}
	for i := range rows {
		truth, _ := s.rowTruth(&rows[i])
		o.Rows[i] = reasoning.TruthRow{Set: rows[i].Set, Truth: truth}
	}
	grader := reasoning.New(o)
	defer grader.Close()
	for _, a := range answers {
		if err := grader.AddText(int64(a.Row), a.Text, 0); err != nil {
			return nil, nil, false, err
		}
	}
	if len(answers) == 0 {
		return nil, nil, false, nil
	}
	result, err := grader.Result()
	if err != nil {
		return nil, nil, false, err
	}
	found := subsetScores{Scores: map[string]float64{}, Complete: result.NotExecuted == 0}
	right := 0
	for _, set := range result.Sets {
		if set.NotExecuted > 0 {
			continue
		}
		right += set.Right
		found.Samples += set.Answers
		found.Scores[set.Name] = pyfloat.Round(set.Accuracy(), 2)
	}
	if found.Samples == 0 {
		return nil, nil, false, nil
	}
	return 100 * float64(right) / float64(found.Samples), found, found.Complete, nil
}
