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

// Errors of this package, found with errors.Is.
var (
	ErrPayload   = errors.New("the accuracy log holds a payload that is not token ids")
	ErrNoSamples = errors.New("the accuracy log holds no sample that counts")
)

// ProgramGrader runs programs that models wrote.
type ProgramGrader interface {
	// GradeProgram says whether a program passes all tests of the problem with the id question, and in words how they
	// went. The error is an ErrProblem where there is no such problem: the answer is wrong. Any other ends the scoring. It
	// is called from several goroutines, and never with an empty program. When ctx is done, it returns soon, with any
	// error.
	GradeProgram(ctx context.Context, question, source string) (pass bool, how string, err error)
}

// ErrProblem means that a ProgramGrader knows no problem of that id.
var ErrProblem = errors.New("unknown problem")

// TruthRow contains the set and truth of a sample.
type TruthRow struct {
	Set   string // the data set's name, as written
	Truth string // empty where there is none
}

// GradingOptions contains the options for scoring a log.
type GradingOptions struct {
	Script Script
	Rows   []TruthRow // of each sample
	// Decode turns ids, of which none is negative, into text. DeepSeek-R1's script leaves out special tokens,
	// gpt-oss-120b's keeps them; ids beyond the vocabulary vanish, and bytes that are no UTF-8 become U+FFFD.
	Decode func(ids []int32) (string, error)
	// Algebra decides whether answers of mathematics are equal where their texts alone do not. nil: mathgrade.OwnAlgebra.
	Algebra mathgrade.Algebra
	// Programs runs programs, Workers at a time (0: one for each processor). nil: they are not executed, which the result
	// says, and there is no exact match.
	Programs ProgramGrader
	Workers  int
	// Observe is called with each answer once it is graded: one call at a time, but programs come later than the answers
	// around them. nil: no one asks.
	Observe func(GradedAnswer)
}

// GradedAnswer is an answer and its grade.
type GradedAnswer struct {
	Entry     int // its place among the entries that were added, from 0
	Index     int // of the sample
	Tokens    int
	Text      string // all that was decoded
	Extracted string // what the grader found
	Found     bool   // whether it found anything
	Loose     bool   // a letter that nothing announced as the answer
	Graded    bool   // false: a program that nobody executed
	Right     bool
	// Step is what decided an answer of mathematics, Tests says how those of a program went.
	Step  mathgrade.Step
	Tests string
}

// LogScorer scores the entries of a log one by one. Its memory depends on the data set, not on the log. Only one
// goroutine may use it.
type LogScorer struct {
	options GradingOptions
	seen    []bool
	ids     []int32
	added   int

	all    sync.WaitGroup
	free   chan struct{} // has room while a program may start
	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex // programs end in goroutines of their own
	result LogResult
	sets   map[string]*SetShare
	err    error
}

// New returns a scorer. It keeps o.Rows and does not change them. Close ends programs that still run.
func New(o GradingOptions) *LogScorer {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Algebra == nil {
		o.Algebra = mathgrade.OwnAlgebra{}
	}
	s := &LogScorer{
		options: o, seen: make([]bool, len(o.Rows)), sets: map[string]*SetShare{},
		free: make(chan struct{}, o.Workers), result: LogResult{Script: o.Script, Algebra: o.Algebra.Name()},
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Close stops programs that still run and waits for their end.
func (s *LogScorer) Close() error {
	s.cancel()
	s.all.Wait()
	return nil
}

// Add takes one entry of the log: index is the sample (qsl_idx), payload the raw bytes of its response, which are not
// kept. DeepSeek-R1's script counts the first entry of a sample, even if it cannot be read, and leaves out entries that
// cannot be; gpt-oss-120b's counts all, and a negative index from the end. An error, an ErrPayload or an ErrSet, means
// that the official script would stop here, or that programs cannot be run.
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

// AddText adds an answer to a sample as text with its number of token ids. It returns the same errors as Add.
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

// takeEntry counts an entry, and returns its row and whether it counts.
func (s *LogScorer) takeEntry(index int64) (row int, counts bool) {
	s.added++
	return s.locateRow(index)
}

// graderOf is the grader of a row's set.
func (s *LogScorer) graderOf(row int) (Grader, error) {
	grader, err := s.options.Script.Grader(s.options.Rows[row].Set)
	if err != nil {
		return 0, fmt.Errorf("sample %d: %w", row, err)
	}
	return grader, nil
}

// gradeText grades the text of the entry that was taken last.
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

// locateRow returns the row of an entry, and whether the entry counts.
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

// readIDs puts the ids of a payload into s.ids.
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

// gradeAnswer judges an answer and counts it; programs are judged alongside further answers.
func (s *LogScorer) gradeAnswer(g Grader, a GradedAnswer) error {
	row := s.options.Rows[a.Index]
	truth, ok := g.readTruth(row.Truth)
	if !ok {
		s.updateResult(func(r *LogResult) { r.badTruth(a.Index, row, g) })
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
		s.free <- struct{}{}
		s.all.Go(func() {
			defer func() { <-s.free }()
			s.runProgram(a, truth)
		})
		return nil
	}
	s.countAnswer(a)
	return nil
}

// runProgram executes a program.
func (s *LogScorer) runProgram(a GradedAnswer, question string) {
	pass, how, err := s.options.Programs.GradeProgram(s.ctx, question, a.Extracted)
	switch {
	case errors.Is(err, ErrProblem):
		s.updateResult(func(r *LogResult) { r.badTruth(a.Index, s.options.Rows[a.Index], Program) })
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

// Result waits for programs and returns the score of the entries added so far. The error is ErrNoSamples where
// DeepSeek-R1's script has nothing to count, or says that programs could not be run.
func (s *LogScorer) Result() (LogResult, error) {
	s.all.Wait()
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
