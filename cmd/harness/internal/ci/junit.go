package ci

import (
	"encoding/xml"
	"io"

	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// junitSuites is the root of a JUnit file: suites of cases, each with up to one of failure, error and skipped.
type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Name    string       `xml:"name,attr"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	Failure *junitFault `xml:"failure"`
	Error   *junitFault `xml:"error"`
	Skipped *junitFault `xml:"skipped"`
}

type junitFault struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the cases as a JUnit file, with one suite per group.
func (r *Report) WriteJUnit(w io.Writer, command string) error {
	file := junitSuites{Name: terminal.Line(command)}
	for _, group := range r.caseGroups() {
		suite := junitSuite{Name: group}
		for _, c := range r.cases {
			if c.Group == group {
				suite.addCase(c)
			}
		}
		file.Suites = append(file.Suites, suite)
	}
	text, err := xml.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append([]byte(xml.Header), append(text, '\n')...))
	return err
}

func (s *junitSuite) addCase(c ReportCase) {
	one := junitCase{Class: "plumbline." + c.Group, Name: terminal.Line(c.Name)}
	fault := &junitFault{Message: terminal.Line(c.Message), Text: terminal.Text(c.Detail)}
	s.Tests++
	switch c.Outcome {
	case Passed:
	case Failed:
		s.Failures++
		one.Failure = fault
	case Broken:
		s.Errors++
		one.Error = fault
	case Skipped:
		s.Skipped++
		one.Skipped = fault
	}
	s.Cases = append(s.Cases, one)
}
