package submission

import (
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/ci"
	"github.com/plumbline-ml/plumbline/internal/figure"
	"github.com/plumbline-ml/plumbline/internal/submission/check"
)

// writeReport prints the findings by result, then the common findings of each submitter, then the verdict.
func writeReport(w io.Writer, r *check.Report) error {
	var b strings.Builder
	by := r.ByResult()
	if general := by[""]; len(general) > 0 {
		b.WriteString("the submission\n")
		writeFindings(&b, "", general)
	}
	common := groupFindings(r)
	verdicts := map[check.Verdict]int{}
	for i, result := range r.Results {
		verdicts[result.Verdict]++
		fmt.Fprintf(&b, "%s  %s\n", result.Path, resultLine(result))
		writeFindings(&b, result.Path+"/", common.otherFindings(by[result.Path]))
		if who := submitterOf(result.Path); i == len(r.Results)-1 || submitterOf(r.Results[i+1].Path) != who {
			common.writeCommon(&b, who)
		}
	}
	b.WriteString("\n")
	for _, u := range r.NotJudged {
		fmt.Fprintf(&b, "not judged: %s: %s\n", u.What, u.Why)
	}
	fmt.Fprintf(&b, "%s: %d accepted, %d with warnings, %d rejected\n", figure.Plural(len(r.Results), "result"),
		verdicts[check.Accepted], verdicts[check.Warned], verdicts[check.Rejected])
	fmt.Fprintf(&b, "%s, %s, %s\n", figure.Plural(r.Rejects, "reject"), figure.Plural(r.Warnings, "warning"),
		figure.Plural(r.Notes, "note"))
	fmt.Fprintf(&b, "verdict by the rules %s: %s\n", r.Rules, r.Verdict)
	_, err := io.WriteString(w, b.String())
	return err
}

// submitterOf returns the submitter's folder of a path: "closed/Lab".
func submitterOf(name string) string {
	parts := strings.SplitN(name, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// maxSimilar is the maximum number of similar findings printed individually, for one result and for the results of a
// submitter.
const maxSimilar = 3

// findingKind is the common key of similar findings.
type findingKind struct{ submitter, severity, rule, file, what string }

func newFindingKind(f check.Finding) findingKind {
	return findingKind{submitterOf(f.Result), string(f.Severity), f.Rule, path.Base(f.Path), f.What}
}

// commonFindings contains the kinds of warnings and notes that occur in several results of a submitter.
type commonFindings struct {
	order []findingKind
	all   map[findingKind][]check.Finding
}

func groupFindings(r *check.Report) commonFindings {
	c := commonFindings{all: map[findingKind][]check.Finding{}}
	for _, f := range r.Findings {
		if f.Result == "" || f.Severity == check.Reject {
			continue
		}
		k := newFindingKind(f)
		if len(c.all[k]) == 0 {
			c.order = append(c.order, k)
		}
		c.all[k] = append(c.all[k], f)
	}
	return c
}

// otherFindings returns the findings of a result that are printed with it.
func (c commonFindings) otherFindings(list []check.Finding) []check.Finding {
	var others []check.Finding
	for _, f := range list {
		if len(c.all[newFindingKind(f)]) <= maxSimilar {
			others = append(others, f)
		}
	}
	return others
}

// writeCommon prints the common findings of a submitter's results.
func (c commonFindings) writeCommon(b *strings.Builder, submitter string) {
	begun := false
	for _, k := range c.order {
		list := c.all[k]
		if k.submitter != submitter || len(list) <= maxSimilar {
			continue
		}
		if !begun {
			fmt.Fprintf(b, "several results of %s\n", submitter)
			begun = true
		}
		writeFinding(b, k.file, list[0], fmt.Sprintf("; x %d, the first in %s", len(list), list[0].Result))
	}
}

// writeFindings prints one line per fault and one line of advice, but only the first of many similar faults. It removes
// the prefix folder from paths.
func writeFindings(b *strings.Builder, folder string, list []check.Finding) {
	alike := map[findingKind]int{}
	key := func(f check.Finding) findingKind { return findingKind{"", string(f.Severity), f.Rule, "", f.What} }
	for _, f := range list {
		alike[key(f)]++
	}
	told := map[findingKind]int{}
	for _, f := range list {
		k := key(f)
		told[k]++
		more := ""
		if rest := alike[k] - maxSimilar; rest > 0 && told[k] == maxSimilar {
			more = fmt.Sprintf("; and %d more like it, which --json lists", rest)
		}
		if told[k] <= maxSimilar {
			writeFinding(b, strings.TrimPrefix(f.Path, folder), f, more)
		}
	}
}

// writeFinding prints one fault on one line, whatever its values contain, and the advice on another.
func writeFinding(b *strings.Builder, name string, f check.Finding, more string) {
	fmt.Fprintf(b, "  %-6s %s  %s: %s", f.Severity, f.Rule, oneLine(name), oneLine(f.What))
	if f.Found != "" {
		fmt.Fprintf(b, "; found %s", oneLine(f.Found))
	}
	if f.Expected != "" {
		fmt.Fprintf(b, "; expected %s", oneLine(f.Expected))
	}
	fmt.Fprintf(b, "%s\n         to do: %s\n", more, oneLine(f.Do))
}

// oneLine returns a text unchanged, or quoted if it contains line breaks or other unprintable characters.
func oneLine(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}

// reportFindings adds the results and findings to a report; nil: not requested.
func reportFindings(to *ci.Report, r *check.Report) {
	if to == nil {
		return
	}
	by := r.ByResult()
	if general := by[""]; len(general) > 0 {
		to.AddCase(findingCase("the submission", general))
	}
	for _, result := range r.Results {
		to.AddCase(findingCase(result.Path, by[result.Path]))
	}
	list := ci.NewFindingList("severity", "rule", "path", "what", "found", "expected", "do")
	for _, f := range r.Findings {
		if f.Severity != check.Note {
			list.Add(f.Severity, f.Rule, f.Path, f.What, f.Found, f.Expected, f.Do)
		}
	}
	to.AddFindings(list, fmt.Sprintf("Verdict by the rules %s: %s. Notes: %d.", r.Rules, r.Verdict, r.Notes))
}

// findingCase returns the case of a result, which fails if a finding rejects it.
func findingCase(name string, found []check.Finding) ci.ReportCase {
	c := ci.ReportCase{Group: "check", Name: name, Outcome: ci.Passed}
	var lines []string
	for _, f := range found {
		line := fmt.Sprintf("%s %s: %s", f.Severity, f.Rule, f.What)
		if f.Severity == check.Reject && c.Outcome == ci.Passed {
			c.Outcome, c.Message = ci.Failed, line
		}
		lines = append(lines, fmt.Sprintf("%s: %s; found %s; expected %s; %s", f.Path, line, f.Found, f.Expected, f.Do))
	}
	c.Detail = strings.Join(lines, "\n")
	return c
}
