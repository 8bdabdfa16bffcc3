package evidence

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
)

// comparePerformance returns the output and exit code of verify_performance.py for two summary logs.
func (s Scoring) comparePerformance(test, referenceLog, testLog string) (text string, exit int) {
	out := &strings.Builder{}
	fmt.Fprintln(out, "Verifying performance.")
	if err := s.compareSummaries(out, test, referenceLog, testLog); err != nil {
		out.WriteString(EndingText(err))
		return out.String(), 1
	}
	return out.String(), 0
}

func (s Scoring) compareSummaries(out *strings.Builder, test, referenceLog, testLog string) error {
	reference := s.newSummaryScore(test)
	reference.out, reference.name, reference.title = out, "reference", "Reference"
	run := s.newSummaryScore(test)
	run.out, run.name, run.title = out, "test", "Test"
	if s.comparesTwo(test) {
		reference.name, reference.lastSetting = tree.CachingUnique, "performance_issue_unique"
		run.name, run.lastSetting = tree.CachingSame, "performance_issue_same"
	}
	if err := reference.readFile(referenceLog); err != nil {
		return err
	}
	if err := run.readFile(testLog); err != nil {
		return err
	}
	if run.scenario != reference.scenario {
		return sysExit("Test and reference scenarios do not match!")
	}
	out.WriteString(s.scoresText(test, reference.score, run.score))
	a, ok := pyfloat.Parse(reference.score)
	b, ok2 := pyfloat.Parse(run.score)
	if !ok || !ok2 {
		return ErrDiedf("ValueError: could not convert string to float")
	}
	out.WriteString(s.verdictText(test, reference.scenario, a, b))
	return nil
}

// ScoreInSummary returns the score in a summary log. For streams it is the printed value: a latency in nanoseconds, or
// a number of samples. It accepts both wordings of estimates. ok is false if there is no score.
func (s Scoring) ScoreInSummary(path string) (score float64, ok bool) {
	reader := s.newSummaryScore("TEST05")
	if reader.lines["SingleStream"] == estimate90Line {
		reader.lines = s.scoreLines(tree.Caching)
	}
	reader.out, reader.score = &strings.Builder{}, "" // distinguishes a missing score from 0
	reader.acceptsInvalid = true
	if err := reader.readFile(path); err != nil {
		return 0, false
	}
	return pyfloat.Parse(reader.score)
}

// summaryScore contains the data that a script reads from a summary log.
type summaryScore struct {
	lines          map[string]*regexp.Regexp // patterns of the lines with the score, by scenario
	comparesRates  bool                      // compare streams by their rate, 1e9/latency
	readsLimit     bool                      // read the line with the latency limit
	acceptsInvalid bool                      // results of INVALID runs count, too
	out            *strings.Builder
	name, title    string
	lastSetting    string // name of a setting that must be true, on the last line that is read; empty: all are read

	scenario string
	score    string // as printed; the initial value if none was found
}

func (s Scoring) newSummaryScore(test string) summaryScore {
	lines := s.scoreLines(test)
	return summaryScore{lines: lines, comparesRates: s.ComparesRates(test), readsLimit: lines["Server"] == completedLine,
		acceptsInvalid: s.comparesTwo(test), score: "0"}
}

func (s *summaryScore) readFile(path string) error {
	err := EachFileLine(path, func(_ int, line string) error { return s.readLine(line) })
	if errors.Is(err, errEnoughRead) {
		return nil
	}
	return err
}

// errEnoughRead ends the reading of a log.
var errEnoughRead = errors.New("the script reads no further")

// checkSetting checks the setting on the last line that a script reads.
func (s *summaryScore) checkSetting(line string) error {
	switch value, err := afterColon(line); {
	case err != nil:
		return err
	case value == "false":
		return sysExit(fmt.Sprintf("%s: Invalid test settings in %s summary.", Fail, s.name))
	}
	return errEnoughRead
}

var errorCount = regexp.MustCompile(`^\p{Nd}+ ERROR`)

func (s *summaryScore) readLine(line string) (err error) {
	wanted := s.lines[s.scenario]
	switch {
	case strings.HasPrefix(line, "Scenario"):
		s.scenario, err = afterColon(line)
		s.scenario = strings.Replace(s.scenario, " Stream", "Stream", 1) // before v1.0
	case wanted != nil && wanted.MatchString(line):
		return s.readScore(line)
	// The parentheses in the script's pattern form a group and do not match the line's parentheses.
	case s.readsLimit && s.scenario == "Server" && strings.HasPrefix(line, "target_latency ns"):
		return s.readLimit(line)
	case s.lastSetting != "" && strings.HasPrefix(line, s.lastSetting):
		return s.checkSetting(line)
	case strings.HasPrefix(line, "Result is") && !s.acceptsInvalid:
		var valid string
		if valid, err = afterColon(line); err == nil && valid == "INVALID" {
			return sysExit(fmt.Sprintf("%s: %s results are invalid", Fail, s.title))
		}
	case errorCount.MatchString(line):
		n, _, _ := strings.Cut(line, " ")
		fmt.Fprintf(s.out, "WARNING: %s ERROR reported in %s results\n", strings.TrimSpace(n), s.name)
	}
	return err
}

// readLimit reads the latency limit of Server. The script stops at that of the test run.
func (s *summaryScore) readLimit(line string) error {
	_, err := afterColon(line)
	if err == nil && s.name == "test" {
		return ErrDiedf("UnboundLocalError: ref_target_latency")
	}
	return err
}

// readScore reads the score in a line.
func (s *summaryScore) readScore(line string) error {
	text, err := afterColon(line)
	if err != nil {
		return err
	}
	if s.score = text; !s.comparesRates || !strings.HasSuffix(s.scenario, "Stream") {
		return nil
	}
	ns, ok := pyfloat.Parse(text)
	switch {
	case !ok:
		return ErrDiedf("ValueError: could not convert string to float: '%s'", text)
	case ns == 0:
		return ErrDiedf("ZeroDivisionError: float division by zero")
	}
	s.score = pyfloat.Repr(1e9 / ns)
	return nil
}

func afterColon(line string) (string, error) {
	_, value, ok := strings.Cut(line, ": ")
	if !ok {
		return "", ErrDiedf("IndexError: list index out of range")
	}
	return strings.TrimFunc(value, pyfloat.IsSpace), nil
}
