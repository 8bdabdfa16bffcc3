package audit

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/pyfloat"
	"github.com/plumbline-ml/plumbline/submission/tree"
)

// rateRule is how TEST04 and TEST05 compare the scores of two summaries.
type rateRule struct {
	estimates map[string]*regexp.Regexp // the lines that hold a stream's score, by scenario
	rates     bool                      // streams are compared by their rate, 1e9/latency
	pass      func(scenario string, reference, test float64) bool
}

// cachingRule is TEST04's: the run of one sample is not to be faster by a tenth.
var cachingRule = rateRule{
	estimates: map[string]*regexp.Regexp{
		"SingleStream": regexp.MustCompile(`^.*Early stopping (90th|90.0th|99.9th) percentile estimate`),
		"MultiStream":  regexp.MustCompile(`^.*Early stopping (99th|99.0th) percentile estimate`),
	},
	rates: true,
	pass: func(scenario string, reference, test float64) bool {
		return test < float64(reference*(1+tolerance(scenario, reference, 0.1)))
	},
}

// seedsRule is TEST05's: the run with other seeds is not to be slower by a twentieth.
var seedsRule = rateRule{
	estimates: map[string]*regexp.Regexp{
		"SingleStream": regexp.MustCompile(`^.*Early stopping 90th percentile estimate`),
		"MultiStream":  regexp.MustCompile(`^.*Early stopping 99th percentile estimate`),
	},
	pass: func(scenario string, reference, test float64) bool {
		t := tolerance(scenario, reference, 0.05)
		if scenario == "Offline" || scenario == "Server" {
			return test > float64(reference*(1-t))
		}
		return strings.Contains(scenario, "Stream") && test < float64(reference*(1+t))
	},
}

// officialTEST04 is TEST04's run_verification.py, and TEST05's.
func officialTEST04(r Request) Verdict {
	text, exit := "", 0
	if splitByShell(r.Reference.Summary, r.Run.Summary) {
		text, exit = unquoted("verify_performance.py"), 2
	} else {
		text, exit = officialRates(r)
	}
	v := Verdict{Test: r.Test, Performance: passed(strings.Contains(text, testPass)),
		Texts: map[string]string{tree.VerifyPerformance: text}}
	v.Pass = v.Performance == Passed
	if r.Out == "" && r.Test == "TEST05" { // verify_performance.py alone
		v.Stdout, v.Exit = text, exit
		return v
	}
	copied := v.officialCopies(r, "Exception occured trying to copy %s to %s\n")
	v.Stdout = "Parsing arguments.\n" + text + copied +
		fmt.Sprintf("Performance check pass: %s\n%s verification complete\n", pyBool(v.Pass), r.Test)
	return v
}

// officialRates is verify_performance.py, and how it ends.
func officialRates(r Request) (text string, exit int) {
	out, rule := &strings.Builder{}, cachingRule
	if r.Test == "TEST05" {
		rule = seedsRule
	}
	fmt.Fprintln(out, "Verifying performance.")
	if err := rule.compare(out, r); err != nil {
		out.WriteString(ending(err))
		return out.String(), 1
	}
	return out.String(), 0
}

func (rule rateRule) compare(out *strings.Builder, r Request) error {
	reference := summaryScore{rule: rule, out: out, name: "reference", title: "Reference", score: "0"}
	if err := reference.read(r.Reference.Summary); err != nil {
		return err
	}
	test := summaryScore{rule: rule, out: out, name: "test", title: "Test", score: "0"}
	if err := test.read(r.Run.Summary); err != nil {
		return err
	}
	if test.scenario != reference.scenario {
		return exits("Test and reference scenarios do not match!")
	}
	fmt.Fprintf(out, "reference score = %s\ntest score = %s\n", reference.score, test.score)
	a, ok := pyfloat.Parse(reference.score)
	b, ok2 := pyfloat.Parse(test.score)
	switch {
	case !ok || !ok2:
		return died("ValueError: could not convert string to float")
	case rule.pass(reference.scenario, a, b):
		fmt.Fprintln(out, testPass)
	default:
		fmt.Fprintln(out, testFail+": Test score invalid")
	}
	return nil
}

// summaryScore is what a script reads of a summary log.
type summaryScore struct {
	rule        rateRule
	out         *strings.Builder
	name, title string

	scenario string
	score    string // as it is printed; as it was at first where none was found
}

func (s *summaryScore) read(path string) error {
	return withLines(path, func(_ int, line string) error { return s.line(line) })
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
			err = died("UnboundLocalError: ref_target_latency")
		}
	case strings.HasPrefix(line, "Result is"):
		var valid string
		if valid, err = afterColon(line); err == nil && valid == "INVALID" {
			return exits(fmt.Sprintf("%s: %s results are invalid", testFail, s.title))
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
		return died("ValueError: could not convert string to float: '%s'", text)
	case ns == 0:
		return died("ZeroDivisionError: float division by zero")
	}
	s.score = pyfloat.Repr(1e9 / ns)
	return nil
}

func afterColon(line string) (string, error) {
	_, value, ok := strings.Cut(line, ": ")
	if !ok {
		return "", died("IndexError: list index out of range")
	}
	return strings.TrimFunc(value, pyfloat.IsSpace), nil
}
