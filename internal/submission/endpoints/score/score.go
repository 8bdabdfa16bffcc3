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
	Text string // reasoning and answer, nothing between; empty: the request failed, or nothing came
}

// setScorer scores the answers of a set: a number or metrics by name, nil where nothing can be said; detail is the
// entry's breakdown, whole says that all answers were graded.
type setScorer func(s *ScoredSet, rows []SampleRow, answers []ReceivedText) (score, detail any, whole bool, err error)

// ProgramMethod is the eval_method of sets whose answers are programs.
const ProgramMethod = "code_bench_scorer"

// scorers are those of the official client, by eval_method.
var scorers = map[string]setScorer{
	"rouge":                     scoreRouge,
	"pass_at_1":                 scoreMatches,
	ProgramMethod:               leavePrograms,
	"legacy_mlperf_deepseek_r1": scoreSubsets,
}

// Score makes the entry of a set, whose answers took so long. Answers that are missing count as wrong.
func (s *ScoredSet) Score(rows []SampleRow, answers []ReceivedText, took time.Duration) (files.ScoreEntry, error) {
	of, known := scorers[s.Method]
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

// extractorClasses are the names that the official client's entries have of extractors.
var extractorClasses = map[string]string{"identity_extractor": "IdentityExtractor",
	"boxed_math_extractor": "BoxedMathExtractor", "abcd_extractor": "ABCDExtractor",
	"python_code_extractor": "PythonCodeExtractor"}

// scoreRouge are the means over the answers, in per cent, as texts of four decimals, and the characters of the answers.
func scoreRouge(s *ScoredSet, rows []SampleRow, answers []ReceivedText) (score, detail any, whole bool, err error) {
	split, compare := punkt.New(punkt.English()), rouge.New(rouge.TokenizerOptions{Stem: true})
	var sums [4]float64
	length := 0
	for _, a := range answers {
		truth, _ := s.truthOf(&rows[a.Row])
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

// scoreMatches is the share of issued samples whose extracted answer is the truth.
func scoreMatches(s *ScoredSet, rows []SampleRow, answers []ReceivedText) (score, detail any, whole bool, err error) {
	right := 0
	for _, a := range answers {
		truth, _ := s.truthOf(&rows[a.Row])
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

// letterOf is the letter of a choice, which files call A or choice1.
func letterOf(truth string) string {
	if number, ok := strings.CutPrefix(truth, "choice"); ok && len(number) == 1 && number >= "1" && number <= "4" {
		return string('A' + number[0] - '1')
	}
	return strings.ToUpper(truth)
}

// leavePrograms scores nothing: programs that a model wrote are not executed here.
func leavePrograms(*ScoredSet, []SampleRow, []ReceivedText) (score, detail any, whole bool, err error) {
	return nil, nil, false, nil
}

// subsetScores is the breakdown of an entry whose rows are of several subsets.
type subsetScores struct {
	Scores   map[string]float64 `json:"subset_scores"` // per cent
	Samples  int                `json:"total_samples"`
	Complete bool               `json:"complete"`
}

// scoreSubsets is the exact match of DeepSeek-R1's set, in per cent. Programs are not executed: then it is that of the
// other subsets.
func scoreSubsets(s *ScoredSet, rows []SampleRow, answers []ReceivedText) (score, detail any, whole bool, err error) {
	o := reasoning.GradingOptions{Script: reasoning.DeepSeekR1, Rows: make([]reasoning.TruthRow, len(rows))}
	for i := range rows {
		truth, _ := s.truthOf(&rows[i])
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
