package review

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/check"
)

const result = "closed/Lab/results/box/resnet/Offline"

// finding is a reject of a result.
func finding(rule string, kind check.Kind, in, file, found string) check.Finding {
	return check.Finding{Severity: check.Reject, Rule: rule, Kind: kind, Path: in + "/" + file, Result: in,
		What: "a fault", Found: found, Expected: "another", Do: "mend it"}
}

func reportOf(list ...check.Finding) *check.Report {
	r := &check.Report{Rules: "v6.1", Findings: list}
	for _, f := range list {
		has := slices.ContainsFunc(r.Results, func(o check.Result) bool { return o.Path == f.Result })
		if f.Result != "" && !has {
			r.Results = append(r.Results, check.Result{Path: f.Result})
		}
	}
	return r
}

// TestWhatIsActedOn: breaches whatever their severity, rejects of runs and audits, and those of rules that nobody has
// sorted; files and forms, warnings and notes are folded.
func TestWhatIsActedOn(t *testing.T) {
	severe := func(f check.Finding, s check.Severity) check.Finding {
		f.Severity = s
		return f
	}
	for name, c := range map[string]struct {
		f    check.Finding
		kind string // empty: folded
	}{
		"a breach": {finding("settings", check.AuditAsResult, result, "x", ""), "audit-filed-as-result"},
		"a breach that warns": {severe(finding("seeds", check.SeedsOfAnother, result, "x", ""), check.Warn),
			"seeds-of-another-round"},
		"a breach that notes": {severe(finding("loadgen", check.LoadGenOfAnother, result, "x", ""), check.Note),
			"loadgen-of-another-round"},
		"a kind without a row":  {finding("seeds", "new-kind", result, "x", ""), "new-kind"},
		"a run":                 {finding("validity", "", result, "x", ""), "validity"},
		"an audit":              {finding("audit-04", "", result, "x", ""), "audit"},
		"a rule without a row":  {finding("new-rule", "", result, "x", ""), "new-rule"},
		"one host, filed twice": {severe(finding("duplicates", "", result, "x", ""), check.Warn), ""},
		"a log that is missing": {finding("files", "", result, "performance/run_1/mlperf_log_detail.txt", ""), "logs"},
		"a summary":             {finding("files", "", result, "accuracy/mlperf_log_summary.txt", ""), "logs"},
		"a log that is none":    {finding("log-format", "", result, "accuracy/mlperf_log_detail.txt", ""), "logs"},
		"a log's line ends":     {severe(finding("log-format", "", result, "mlperf_log_detail.txt", ""), check.Warn), ""},
		"a file":                {finding("files", "", result, "x", ""), ""},
		"a form":                {finding("system", "", result, "x", ""), ""},
		"a run's warning":       {severe(finding("validity", "", result, "x", ""), check.Warn), ""},
		"a run's note":          {severe(finding("validity", "", result, "x", ""), check.Note), ""},
	} {
		r := Make(reportOf(c.f), Scope{})
		var ids []string
		for _, k := range r.Kinds {
			ids = append(ids, k.ID)
			if k.Title == "" || k.Ask == "" {
				t.Errorf("%s: nothing is said of the kind: %+v", name, k)
			}
		}
		if strings.Join(ids, " ") != c.kind || (c.kind == "") != (len(r.Folded) == 1) {
			t.Errorf("%s: the kinds are %q, folded %d", name, ids, len(r.Folded))
		}
	}
}

// TestKindsAreDocumented: docs/review.md has every kind.
func TestKindsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/review.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kindsInOrder {
		if !strings.Contains(string(text), "`"+k.id+"`") {
			t.Errorf("docs/review.md lacks %s", k.id)
		}
	}
}

// TestCausesAndWhatFollows: of findings on one run those that follow from a cause stand with it, those on other runs
// for themselves.
func TestCausesAndWhatFollows(t *testing.T) {
	const audit = "TEST01/performance/run_1/mlperf_log_detail.txt"
	const apart = "compliance/box/resnet/Offline/TEST01/verify.txt"
	elsewhere := finding("audit-01", check.VerdictOfOtherLogs, result, "x", "2")
	elsewhere.Path = "closed/Lab/" + apart // a round with a folder of its own for audits
	r := Make(reportOf(
		finding("validity", "", result, audit, "1"),
		finding("audit-01", check.AuditOfAnother, result, audit, "1"),
		elsewhere,
		finding("validity", "", result, "performance/run_1/mlperf_log_detail.txt", "1"),
		finding("seeds", check.SeedsOfAnother, result, "accuracy/mlperf_log_detail.txt", "1"),
		finding("seeds", check.SeedsOfAnother, result, "accuracy/mlperf_log_detail.txt", "2"),
		finding("counts", "", result, "accuracy/mlperf_log_detail.txt", "3"),
	), Scope{})
	var got []string
	for _, k := range r.Kinds {
		for _, c := range k.Submitters[0].Cases {
			got = append(got, fmt.Sprintf("%s %s %d+%d", k.ID, c.Run, len(c.Findings), len(c.Follow)))
		}
	}
	want := []string{"audit-of-another-benchmark TEST01 1+2", "seeds-of-another-round accuracy 2+0",
		"validity performance 1+0", "counts accuracy 1+0"}
	if !slices.Equal(got, want) || r.ToActOn != 1 || r.Results != 1 {
		t.Errorf("got %q, %d of %d results, want %q", got, r.ToActOn, r.Results, want)
	}
}

// TestEqualFindingsAreOneLine: of one submitter and kind those with equal values are told once, with their number.
func TestEqualFindingsAreOneLine(t *testing.T) {
	of := func(submitter string, n int, found string) []check.Finding {
		var list []check.Finding
		for i := range n {
			list = append(list, finding("loadgen", check.LoadGenOfAnother,
				fmt.Sprintf("closed/%s/results/box/m%d/Offline", submitter, i), "performance/run_1/log", found))
		}
		return list
	}
	older := of("Lab", 2, "4.0")
	for i := range older {
		older[i].Result += "/b"
	}
	twice := of("Lab", 26, "")
	for i := range twice { // each is filed for another system, too
		twice[i].Kind = check.RunFiledTwice
		twice[i].Other = strings.Replace(twice[i].Path, "/box/", "/other/", 1)
		twice[i].Found = twice[i].Other
	}
	pairs := of("Lab", 3, "4.1")
	for i := range pairs {
		pairs[i].Other = pairs[i].Result + "/other.txt"
	}
	for name, c := range map[string]struct {
		list  []check.Finding
		lines int
		want  string
	}{
		"one": {of("Lab", 1, "4.1"), 1,
			"    results/box/m0/Offline/performance/run_1/log: a fault; found '4.1'"},
		"26 alike": {of("Lab", 26, "4.1"), 1, "    x 26, the first: results/box/m0/Offline/"},
		"of two submitters": {append(of("Lab", 2, "4.1"), of("Lob", 3, "4.1")...), 2,
			"  closed/Lob, 3 results\n    x 3, "},
		"of two values":           {append(of("Lab", 2, "4.1"), older...), 2, "x 2, "},
		"runs filed twice":        {twice, 1, "x 26, the first: results/box/m0/"},
		"the other file, whole":   {twice, 1, "; found results/other/m0/Offline/performance/run_1/log; expected 'another'\n"},
		"values of pairs of logs": {pairs, 3, "expected 'another' (results/box/m2/Offline/other.txt)"},
		"a flood":                 {flood(60), maxLines, "and 48 lines more, which --json lists"},
	} {
		var b strings.Builder
		if err := Make(reportOf(c.list...), Scope{}).WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), ": a fault"); n != c.lines || !strings.Contains(b.String(), c.want) {
			t.Errorf("%s: %d lines, want %d and %q:\n%s", name, n, c.lines, c.want, b.String())
		}
	}
}

// flood are findings of which no two have one value.
func flood(n int) []check.Finding {
	var list []check.Finding
	for i := range n {
		list = append(list, finding("validity", "", fmt.Sprintf("closed/Lab/results/box/m%d/Offline", i), "log",
			fmt.Sprint(i)))
	}
	return list
}

// TestLinesAreLines: whatever names and values hold, a finding is one line, and a long value is cut.
func TestLinesAreLines(t *testing.T) {
	for found, want := range map[string]string{
		"4.1": "'4.1'", "a\nb": `"a\nb"`, "\x1b[31mred": `"\x1b[31mred"`, `say "so"`: `'say "so"'`,
		"µs, 日本": "'µs, 日本'", "not \xff UTF-8": `"not \xff UTF-8"`, "": "a fault; expected",
		strings.Repeat("x", 91): "'" + strings.Repeat("x", 90) + "'...", strings.Repeat("日", 100): "日'...",
		strings.Repeat("x", 90): "'" + strings.Repeat("x", 90) + "';",
	} {
		r := Make(reportOf(finding("validity", "", result, "a\nfile", found)), Scope{})
		line := r.Kinds[0].Submitters[0].Lines()[0].String()
		if !strings.Contains(line, want) || strings.ContainsAny(line, "\n\x1b") || !strings.HasPrefix(line, `"results`) {
			t.Errorf("%q: got %s, want %s in it", found, line, want)
		}
	}
}

// TestScopes: a review of a part of a tree has what is on that part, wherever its audits lie.
func TestScopes(t *testing.T) {
	audit := finding("audit-01", check.ScoreApart, result, "x", "")
	audit.Path = "closed/Lab/compliance/box/resnet/Offline/TEST01/log"
	report := reportOf(audit,
		finding("validity", "", "open/Lab/results/box/resnet/Offline", "x", ""),
		finding("validity", "", "closed/Lab/results/boxes/resnet/Offline", "x", ""),
		finding("validity", "", "closed/Labs/results/box/resnet/Offline", "x", ""),
		check.Finding{Severity: check.Reject, Rule: "scenarios", Path: "closed/Lab/results/box/bert-99", What: "missing"},
		check.Finding{Severity: check.Reject, Rule: "tree", Path: "Closed", What: "a division in capitals"})
	for _, c := range []struct {
		scope           Scope
		results, acted  int
		kinds, folded   int
		submittersNamed string
	}{
		{Scope{}, 4, 4, 3, 1, "Lab Labs"},
		{Scope{Folder: "."}, 4, 4, 3, 1, "Lab Labs"},
		{Scope{Submitter: "Lab"}, 3, 3, 3, 0, "Lab"},
		{Scope{Submitter: "Labs"}, 1, 1, 1, 0, "Labs"},
		{Scope{Folder: "closed/Lab"}, 2, 2, 3, 0, "Lab"},
		{Scope{Folder: "closed"}, 3, 3, 3, 0, "Lab Labs"},
		{Scope{Folder: "closed/Lab/results/box"}, 1, 1, 2, 0, "Lab"},
		{Scope{Folder: result}, 1, 1, 1, 0, "Lab"},
		{Scope{Folder: "open", Submitter: "Labs"}, 0, 0, 0, 0, ""},
	} {
		r := Make(report, c.scope)
		named := strings.Join(r.Submitters(), " ")
		if r.Results != c.results || r.ToActOn != c.acted || len(r.Kinds) != c.kinds || len(r.Folded) != c.folded ||
			named != c.submittersNamed {
			t.Errorf("%+v: %d results, %d to act on, %d kinds, %d folded, of %q", c.scope, r.Results, r.ToActOn, len(r.Kinds),
				len(r.Folded), named)
		}
	}
	one := Make(report, Scope{Folder: "closed"}).Of(report, "Lab")
	if one.Results != 2 || one.Submitter != "Lab" {
		t.Errorf("of one submitter in a division: %+v", one)
	}
}

// TestRejectsOfFormsAreNotPassed: results that files and forms alone have rejected are counted, and nobody reads that
// there is nothing to act on.
func TestRejectsOfFormsAreNotPassed(t *testing.T) {
	const many = 6002
	forms := make([]check.Finding, 0, many)
	for i := range many {
		forms = append(forms, finding("names", "", fmt.Sprintf("closed/Lab/results/box/m%d/Offline", i), "x", ""))
	}
	warning := finding("names", "", result, "x", "")
	warning.Severity = check.Warn
	ofTree := check.Finding{Severity: check.Reject, Rule: "tree", Path: "closed/Lab", What: "a folder is missing"}
	act := finding("validity", "", result, "performance/run_1/mlperf_log_detail.txt", "")
	for _, c := range []struct {
		list  []check.Finding
		clean bool
		want  string
	}{
		{forms, false, "6,002 results, 6,002 rejected for files and forms alone"},
		{[]check.Finding{warning}, true, "1 result, nothing to act on"},
		{[]check.Finding{warning, ofTree}, false, "1 result, files and forms of the tree rejected"},
		{[]check.Finding{act, finding("names", "", result, "x", "")}, false, "1 result, 1 to act on, of 1 kind"},
		{append([]check.Finding{act}, forms[:2]...), false,
			"3 results, 1 to act on, of 1 kind, 2 rejected for files and forms alone"},
	} {
		if r := Make(reportOf(c.list...), Scope{}); r.Clean() != c.clean || r.Conclusion() != c.want {
			t.Errorf("clean %v: %q, want %q", r.Clean(), r.Conclusion(), c.want)
		}
	}
}

// BenchmarkMake sorts findings that all say something else, of as many submitters.
func BenchmarkMake(b *testing.B) {
	for _, n := range []int{1_000, 4_000, 16_000} {
		var list []check.Finding
		for i := range n {
			in := fmt.Sprintf("closed/Lab%d/results/box/resnet/Offline", i)
			folded := finding("system", "", in, "x", "")
			folded.What = fmt.Sprintf("fault %d", i)
			list = append(list, folded, finding("seeds", check.SeedsOfAnother, in, "x", fmt.Sprint(i)))
		}
		report := &check.Report{Rules: "v6.1", Findings: list}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Make(report, Scope{})
			}
		})
	}
}
