package reasoning

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/internal/reasoning/mathgrade"
)

// The errors that this package returns, for use with errors.Is.
var (
	ErrPayload   = errors.New("the accuracy log holds a payload that is not token ids")
	ErrNoSamples = errors.New("the accuracy log holds no sample that counts")
)

// ProgramGrader runs and grades programs that models wrote.
type ProgramGrader interface {
	// GradeProgram runs a program against all tests of the problem with id question. It returns whether the program passed
	// and a description of the test results. An ErrProblem means that there is no such problem; the answer is then wrong.
	// Any other error stops the scoring. GradeProgram is called from several goroutines, never with an empty program. When
	// ctx is done, it must return soon, with any error.
	GradeProgram(ctx context.Context, question, source string) (pass bool, how string, err error)
}

// ErrProblem means that a ProgramGrader does not know a problem.
var ErrProblem = errors.New("unknown problem")

// TruthRow contains the set and truth of a sample.
type TruthRow struct {
	Set   string // the name of the data set, unchanged
	Truth string // empty if the sample has no truth
}

// GradingOptions contains the options for scoring a log.
type GradingOptions struct {
	Script Script
	Rows   []TruthRow // of each sample
	// Decode converts ids to text. Ids are not negative. For DeepSeek-R1's script, it omits special tokens; for
	// gpt-oss-120b's, it keeps them. It omits ids outside the vocabulary and replaces invalid UTF-8 by U+FFFD.
	Decode func(ids []int32) (string, error)
	// Algebra decides whether mathematical answers with different texts are equal. nil means mathgrade.OwnAlgebra.
	Algebra mathgrade.Algebra
	// Programs grades programs, Workers at a time (0: one per processor). If Programs is nil, programs are not executed,
	// and the result reports this and has no exact match.
	Programs ProgramGrader
	Workers  int
	// Observe, if not nil, is called with each graded answer, one call at a time. Programs may be graded later than the
	// answers after them.
	Observe func(GradedAnswer)
}

// GradedAnswer is an answer and its grade.
type GradedAnswer struct {
	Entry     int // its index among all added entries
	Index     int // of the sample
	Tokens    int
	Text      string // the whole decoded text
	Extracted string // the answer that the grader extracted
	Found     bool   // whether the grader extracted an answer
	Loose     bool   // a letter without an announcement such as "Answer:"
	Graded    bool   // false if the answer is a program that was not executed
	Right     bool
	// Step is the step that decided a mathematical answer. Tests describes the test results of a program.
	Step  mathgrade.Step
	Tests string
}

// LogScorer scores the entries of a log one by one. Its memory use depends on the data set, not on the log. It is not
// safe for concurrent use.
type LogScorer struct {
	options GradingOptions
	seen    []bool
	ids     []int32
	added   int

	programs sync.WaitGroup
	slots    chan struct{} // semaphore that limits the running programs
	ctx      context.Context
	cancel   context.CancelFunc

	mu     sync.Mutex // programs are graded in their own goroutines
	result LogResult
	sets   map[string]*SetShare
	err    error
}

// New returns a scorer. It keeps o.Rows and does not change them. The caller must call Close to stop running programs.
func New(o GradingOptions) *LogScorer {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Algebra == nil {
		o.Algebra = mathgrade.OwnAlgebra{}
	}
	s := &LogScorer{
		options: o, seen: make([]bool, len(o.Rows)), sets: map[string]*SetShare{},
		slots: make(chan struct{}, o.Workers), result: LogResult{Script: o.Script, Algebra: o.Algebra.Name()},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close stops running programs and waits until they have ended.
func (s *LogScorer) Close() error {
	s.cancel()
	s.programs.Wait()
	return nil
}

// Add adds one entry of the log. index is the sample (qsl_idx), payload the raw bytes of its response. Add does not
// keep payload. DeepSeek-R1's script counts only the first entry of a sample, even an unreadable one, and ignores
// unreadable entries. gpt-oss-120b's script counts all entries, and a negative index counts from the end. An ErrPayload
// or ErrSet means that the official script would stop here. Other errors mean that programs cannot be run.
func (s *LogScorer) Add(index int64, payload []byte) error {
	if err := s.firstError(); err != nil {
		return err
	}
	i, counts := s.takeEntry(index)
	if !counts {
		return nil
	}
	if _, err := s.graderOf(i); err != nil {
		return err
	}
	if err := s.readIDs(payload); err != nil {
		if s.options.Script == DeepSeekR1 && !errors.Is(err, errNegative) {
			s.updateResult(func(r *LogResult) { r.Damaged++ })
			return nil
		}
		return fmt.Errorf("sample %d: %w", i, err)
	}
	text, err := s.options.Decode(s.ids)
	if err != nil {
		return fmt.Errorf("%w: sample %d: %w", ErrPayload, i, err)
	}
	return s.gradeText(i, text, len(s.ids))
}

// AddText adds an answer to a sample as text, with its number of token ids. It returns the same errors as Add.
func (s *LogScorer) AddText(index int64, text string, tokens int) error {
	if err := s.firstError(); err != nil {
		return err
	}
	i, counts := s.takeEntry(index)
	if !counts {
		return nil
	}
	return s.gradeText(i, text, tokens)
}

// takeEntry counts an entry. It returns the entry's row and whether the entry counts.
func (s *LogScorer) takeEntry(index int64) (row int, counts bool) {
	s.added++
	return s.locateRow(index)
}

// graderOf returns the grader of a row's set.
func (s *LogScorer) graderOf(row int) (Grader, error) {
	grader, err := s.options.Script.Grader(s.options.Rows[row].Set)
	if err != nil {
		return 0, fmt.Errorf("sample %d: %w", row, err)
	}
	return grader, nil
}

// gradeText grades the text of the last entry that takeEntry counted.
func (s *LogScorer) gradeText(row int, text string, tokens int) error {
	grader, err := s.graderOf(row)
	if err != nil {
		return err
	}
	found := s.options.Script.extractAnswer(grader, text)
	return s.gradeAnswer(grader, GradedAnswer{
		Entry: s.added - 1, Index: row, Tokens: tokens, Text: text,
		Extracted: strings.Clone(found.text), Found: found.found, Loose: found.loose,
	})
}

// locateRow returns the row of an entry and whether the entry counts.
func (s *LogScorer) locateRow(index int64) (row int, counts bool) {
	n := int64(len(s.seen))
	if s.options.Script == GPTOSS120B && index < 0 && index >= -n {
		s.updateResult(func(r *LogResult) { r.Negative++ })
		index += n
	}
	if index < 0 || index >= n {
		s.updateResult(func(r *LogResult) { r.Outside++ })
		return 0, false
	}
	again := s.seen[index]
	s.seen[index] = true
	if again {
		s.updateResult(func(r *LogResult) { r.Duplicates++ })
		return int(index), s.options.Script == GPTOSS120B
	}
	return int(index), true
}

var errNegative = fmt.Errorf("%w: negative ids", ErrPayload)

// readIDs reads the ids of a payload into s.ids.
func (s *LogScorer) readIDs(payload []byte) error {
	s.ids = s.ids[:0]
	if len(payload)%4 != 0 {
		return fmt.Errorf("%w: %d bytes, want a multiple of 4: ids of 32 bits", ErrPayload, len(payload))
	}
	for ; len(payload) > 0; payload = payload[4:] {
		id := int32(binary.LittleEndian.Uint32(payload))
		if id < 0 {
			return fmt.Errorf("%w: %d at place %d", errNegative, id, len(s.ids))
		}
		s.ids = append(s.ids, id)
	}
	return nil
}

// gradeAnswer grades an answer and counts it. Programs are graded in the background.
func (s *LogScorer) gradeAnswer(g Grader, a GradedAnswer) error {
	row := s.options.Rows[a.Index]
	truth, ok := g.readTruth(row.Truth)
	if !ok {
		s.updateResult(func(r *LogResult) { r.noteBadTruth(a.Index, row, g) })
	}
	a.Graded = true
	switch {
	case !ok || !a.Found:
	case g == Mathematics:
		v, err := mathgrade.Grade(s.ctx, a.Extracted, truth, s.options.Algebra)
		if err != nil {
			return fmt.Errorf("sample %d: %w", a.Index, err)
		}
		a.Right, a.Step = v.Equal, v.Step
		s.updateResult(func(r *LogResult) { r.countStep(v) })
	case g != Program:
		a.Right = a.Extracted == truth
	case a.Extracted == "":
	case s.options.Programs == nil:
		a.Graded = false
	default:
		s.slots <- struct{}{}
		s.programs.Go(func() {
			defer func() { <-s.slots }()
			s.runProgram(a, truth)
		})
		return nil
	}
	s.countAnswer(a)
	return nil
}

// runProgram grades a program.
func (s *LogScorer) runProgram(a GradedAnswer, question string) {
	pass, how, err := s.options.Programs.GradeProgram(s.ctx, question, a.Extracted)
	switch {
	case errors.Is(err, ErrProblem):
		s.updateResult(func(r *LogResult) { r.noteBadTruth(a.Index, s.options.Rows[a.Index], Program) })
	case err != nil:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = fmt.Errorf("sample %d: the program could not be executed: %w", a.Index, err)
		}
		return
	default:
		a.Right, a.Tests = pass, how
	}
	s.countAnswer(a)
}

func (s *LogScorer) updateResult(change func(*LogResult)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.result)
}

func (s *LogScorer) firstError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// countAnswer counts an answer.
func (s *LogScorer) countAnswer(a GradedAnswer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := s.options.Script.setName(s.options.Rows[a.Index].Set)
	set := s.sets[name]
	if set == nil {
		set = &SetShare{Name: name, Repeats: s.options.Script.repeatsOf(name)}
		s.sets[name] = set
	}
	r := &s.result
	set.Answers++
	r.Answers++
	r.Tokens += a.Tokens
	switch {
	case !a.Graded:
		set.NotExecuted++
		r.NotExecuted++
	case a.Right:
		set.Right++
		r.Right++
	}
	if a.Loose {
		r.Loose++
		if a.Right {
			r.LooseRight++
		}
	}
	if s.options.Observe != nil {
		s.options.Observe(a)
	}
}

// Result waits for running programs and returns the score of the entries added so far. The error is ErrNoSamples if
// DeepSeek-R1's script would have nothing to count, or describes why programs could not be run.
func (s *LogScorer) Result() (LogResult, error) {
	s.programs.Wait()
	if err := s.firstError(); err != nil {
		return LogResult{}, err
	}
	r := s.result
	if r.Answers == 0 && s.options.Script == DeepSeekR1 {
		return LogResult{}, fmt.Errorf("%w: %d entries; was the run made in accuracy mode, with this data set?",
			ErrNoSamples, s.added)
	}
	r.Sets = sortedSets(s.sets)
	for _, seen := range s.seen {
		if !seen {
			r.Missing++
		}
	}
	return r, nil
}
