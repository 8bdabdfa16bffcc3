package reasoning

import (
	"fmt"
	"slices"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// Sizes of the sets.
const (
	TrainCount       = 120000
	CalibrationCount = 200
)

// Seeds of the sets.
const (
	trainSeed       = 0x72656173_00000001
	calibrationSeed = 0x72656173_00000002
	deepSeekSeed    = 0x72656173_00000003
	accuracySeed    = 0x72656173_00000004
	performanceSeed = 0x72656173_00000005
)

// Set is a set of questions for training, with all kinds mixed.
type Set struct{ draw.SampleSet }

// Train returns the set that the embedded model is trained on.
func Train() Set { return Set{draw.NewSampleSet(trainSeed, TrainCount)} }

// Calibration returns the set that the embedded model is quantised with.
func Calibration() Set { return Set{draw.NewSampleSet(calibrationSeed, CalibrationCount)} }

// mixture returns the frequencies of the kinds in training. Programs are learned early, ten options late.
func mixture() []Kind {
	return []Kind{AIME, AIME, Math, Math, GPQA, GPQA, MMLUPro, MMLUPro, MMLUPro, LiveCodeBench}
}

// At writes row i. Its question is not part of an evaluation set.
func (s Set) At(i int) Row {
	for attempt := uint64(0); ; attempt++ {
		r := draw.NewRandom(s.Seed, uint64(i), attempt)
		row := drawOne(mixture(), r).writeRow(r, fmt.Sprintf("train_%06d", i))
		if !evaluationQuestions()[row.Question] {
			return row
		}
	}
}

// Rows are the rows of an evaluation set in the order of its QSL. They are immutable.
type Rows []Row

// Len returns the number of rows.
func (r Rows) Len() int { return len(r) }

// At returns row i.
func (r Rows) At(i int) Row { return r[i] }

// Problems returns the problems of the rows, each once, in the order of their first rows.
func (r Rows) Problems() (problems []*Problem) {
	for _, row := range r {
		if row.Problem != nil && !slices.Contains(problems, row.Problem) {
			problems = append(problems, row.Problem)
		}
	}
	return problems
}

// DeepSeek returns the set of deepseek-r1: all five kinds, mixed.
func DeepSeek() Rows { return deepSeek() }

// GPTOSS returns the set for gpt-oss-120b's accuracy. Each kind of question is repeated consecutively as often as in
// the official set: 8, 5 and 3 times.
func GPTOSS() Rows { return gptOSS() }

// GPTOSSPerformance returns the set of gpt-oss-120b's performance runs.
func GPTOSSPerformance() Rows { return gptOSSPerformance() }

// GPTOSSCompliance returns the set of gpt-oss-120b's TEST07: the gpqa_diamond rows of [GPTOSS].
func GPTOSSCompliance() Rows { return gptOSSCompliance() }

// The sets are written once and are immutable.
var (
	deepSeek = sync.OnceValue(func() Rows {
		return draw.Shuffle(draw.NewRandom(deepSeekSeed), drawRows(deepSeekSeed, "deepseek", []setPart{
			{AIME, "aime", 60, 1}, {Math, "math500", 160, 1}, {GPQA, "gpqa", 100, 1}, {MMLUPro, "mmlu_pro", 120, 1},
			{LiveCodeBench, "livecodebench", 60, 1},
		}))
	})
	gptOSS = sync.OnceValue(func() Rows {
		return drawRows(accuracySeed, "accuracy", []setPart{
			{AIME, "aime25", 30, 8}, {GPQA, "gpqa_diamond", 40, 5}, {LiveCodeBench, "livecodebench_v6", 20, 3},
		})
	})
	gptOSSPerformance = sync.OnceValue(func() Rows {
		return draw.Shuffle(draw.NewRandom(performanceSeed), drawRows(performanceSeed, "performance", []setPart{
			{AIME, "aime25", 192, 1}, {GPQA, "gpqa_diamond", 160, 1}, {LiveCodeBench, "livecodebench_v6", 48, 1},
		}))
	})
	gptOSSCompliance = sync.OnceValue(func() Rows {
		return slices.DeleteFunc(slices.Clone(gptOSS()), func(r Row) bool { return r.Kind != GPQA })
	})
	evaluationQuestions = sync.OnceValue(func() map[string]bool {
		all := map[string]bool{}
		for _, row := range slices.Concat(deepSeek(), gptOSS(), gptOSSPerformance()) {
			all[row.Question] = true
		}
		return all
	})
)

// setPart describes the questions of one kind in an evaluation set.
type setPart struct {
	kind           Kind
	name           string
	count, repeats int
}

// drawRows writes different questions, and repeats those of each part.
func drawRows(seed uint64, name string, parts []setPart) Rows {
	var all Rows
	seen := map[string]bool{}
	for _, p := range parts {
		var questions Rows
		for attempt := uint64(0); len(questions) < p.count; attempt++ {
			id := fmt.Sprintf("%s_%03d", name, len(questions))
			row := p.kind.writeRow(draw.NewRandom(seed, uint64(p.kind), attempt), id)
			if row.Dataset = p.name; !seen[row.Question] {
				seen[row.Question] = true
				questions = append(questions, row)
			}
		}
		for range p.repeats {
			all = append(all, questions...)
		}
	}
	return all
}
