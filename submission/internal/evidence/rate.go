package evidence

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
)

// RateRule is how TEST04 and TEST05 compare the scores of two summaries.
type RateRule struct {
	estimates map[string]*regexp.Regexp // the lines that hold a stream's score, by scenario
	rates     bool                      // streams are compared by their rate, 1e9/latency
	Pass      func(scenario string, reference, test float64) bool
}

// cachingRule is TEST04's: the run of one sample is not to be faster by a tenth.
var cachingRule = RateRule{
	estimates: map[string]*regexp.Regexp{
		"SingleStream": regexp.MustCompile(`^.*Early stopping (90th|90.0th|99.9th) percentile estimate`),
		"MultiStream":  regexp.MustCompile(`^.*Early stopping (99th|99.0th) percentile estimate`),
	},
	rates: true,
	Pass: func(scenario string, reference, test float64) bool {
		return test < float64(reference*(1+Tolerance(scenario, reference, 0.1)))
	},
}

// seedsRule is TEST05's: the run with other seeds is not to be slower by a twentieth.
var seedsRule = RateRule{
	estimates: map[string]*regexp.Regexp{
		"SingleStream": regexp.MustCompile(`^.*Early stopping 90th percentile estimate`),
		"MultiStream":  regexp.MustCompile(`^.*Early stopping 99th percentile estimate`),
	},
	Pass: func(scenario string, reference, test float64) bool {
		t := Tolerance(scenario, reference, 0.05)
		if scenario == "Offline" || scenario == "Server" {
			return test > float64(reference*(1-t))
		}
		return strings.Contains(scenario, "Stream") && test < float64(reference*(1+t))
	},
}

// RateRuleOf is the rule of a test: TEST04 or TEST05.
func RateRuleOf(test string) RateRule {
	if test == "TEST05" {
		return seedsRule
	}
	return cachingRule
}

// Text is what verify_performance.py prints of two summary logs, by their paths, and how it ends.
func (rule RateRule) Text(referenceLog, testLog string) (text string, exit int) {
	out := &strings.Builder{}
	fmt.Fprintln(out, "Verifying performance.")
	if err := rule.compare(out, referenceLog, testLog); err != nil {
		out.WriteString(Ending(err))
		return out.String(), 1
	}
	return out.String(), 0
}

func (rule RateRule) compare(out *strings.Builder, referenceLog, testLog string) error {
	reference := summaryScore{rule: rule, out: out, name: "reference", title: "Reference", score: "0"}
	if err := reference.read(referenceLog); err != nil {
		return err
	}
	test := summaryScore{rule: rule, out: out, name: "test", title: "Test", score: "0"}
	if err := test.read(testLog); err != nil {
		return err
	}
	if test.scenario != reference.scenario {
		return exits("Test and reference scenarios do not match!")
	}
	return rule.judge(out, reference, test)
}

func (rule RateRule) judge(out *strings.Builder, reference, test summaryScore) error {
	fmt.Fprintf(out, "reference score = %s\ntest score = %s\n", reference.score, test.score)
	a, ok := pyfloat.Parse(reference.score)
	b, ok2 := pyfloat.Parse(test.score)
	switch {
	case !ok || !ok2:
		return Died("ValueError: could not convert string to float")
	case rule.Pass(reference.scenario, a, b):
		fmt.Fprintln(out, Pass)
	default:
		fmt.Fprintln(out, Fail+": Test score invalid")
	}
	return nil
}

// ScoreInSummary is the score in a summary log, of streams the latency in nanoseconds that early stopping estimates, in
// either wording; ok is false where there is none.
func ScoreInSummary(path string) (score float64, ok bool) {
	rule := cachingRule
	rule.rates = false
	s := summaryScore{rule: rule, out: &strings.Builder{}} // no score is none, and not 0
	if err := s.read(path); err != nil {
		return 0, false
	}
	return pyfloat.Parse(s.score)
}

// summaryScore is what a script reads of a summary log.
type summaryScore struct {
	rule        RateRule
	out         *strings.Builder
	name, title string

	scenario string
	score    string // as it is printed; as it was at first where none was found
}

func (s *summaryScore) read(path string) error {
	return WithLines(path, func(_ int, line string) error { return s.line(line) })
}

var errorCount = regexp.MustCompile(`^\p{Nd}+ ERROR`)

func (s *summaryScore) line(line string) (err error) {
	estimate := s.rule.estimates[s.scenario]
	switch {
	case strings.HasPrefix(line, "Scenario"):
		s.scenario, err = afterColon(line)
	case estimate != nil && estimate.MatchString(line):
		return s.latency(line)
	case s.scenario == "Server" && strings.HasPrefix(line, "Completed samples per second"),
		s.scenario == "Offline" && strings.HasPrefix(line, "Samples per second"):
		s.score, err = afterColon(line)
	case s.scenario == "Server" && strings.HasPrefix(line, "target_latency ns"): // the script's pattern has a group there
		_, err = afterColon(line)
		if err == nil && s.name == "test" {
			err = Died("UnboundLocalError: ref_target_latency")
		}
	case strings.HasPrefix(line, "Result is"):
		var valid string
		if valid, err = afterColon(line); err == nil && valid == "INVALID" {
			return exits(fmt.Sprintf("%s: %s results are invalid", Fail, s.title))
		}
	case errorCount.MatchString(line):
		n, _, _ := strings.Cut(line, " ")
		fmt.Fprintf(s.out, "WARNING: %s ERROR reported in %s results\n", strings.TrimSpace(n), s.name)
	}
	return err
}

func (s *summaryScore) latency(line string) error {
	text, err := afterColon(line)
	if err != nil {
		return err
	}
	if s.score = text; !s.rule.rates {
		return nil
	}
	ns, ok := pyfloat.Parse(text)
	switch {
	case !ok:
		return Died("ValueError: could not convert string to float: '%s'", text)
	case ns == 0:
		return Died("ZeroDivisionError: float division by zero")
	}
	s.score = pyfloat.Repr(1e9 / ns)
	return nil
}

func afterColon(line string) (string, error) {
	_, value, ok := strings.Cut(line, ": ")
	if !ok {
		return "", Died("IndexError: list index out of range")
	}
	return strings.TrimFunc(value, pyfloat.IsSpace), nil
}
