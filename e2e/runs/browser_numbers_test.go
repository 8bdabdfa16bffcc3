package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/browser"
)

// said holds the numbers of each run's cards and tables, and of the rows of the table of all runs. Margins, which are
// computed from two numbers, are separate.
const said = `(() => {
  const texts = (root, what) => [...root.querySelectorAll(what)].map(e => {
    const copy = e.cloneNode(true);
    copy.querySelectorAll(".line > .n, .margin, svg").forEach(n => n.remove());
    return copy.textContent.trim();
  });
  return {
    runs: [...document.querySelectorAll("section[id^=run-]")].map(s => texts(s, "dl dd, td")),
    rows: [...document.querySelectorAll("section.runs tbody tr")].map(r => texts(r, "td")),
    judged: [...document.querySelectorAll(".line")].map(e => e.textContent.trim()),
    limited: [...document.querySelectorAll(".limited")].map(
      e => [...e.querySelectorAll("dd:not(.more), dd.limit")].map(d => d.textContent.trim()).join(", ")),
  };
})()`

// shownNumber is a number with its unit, if it has one that is more than a name.
var shownNumber = regexp.MustCompile(`([-+]?[0-9][0-9,]*(?:\.[0-9]+)?)(?: (ns|µs|ms|s|min|%|B|kB|MB|GB|W|mJ)\b| %)?`)

// checkNumbers expects every number of the page's cards and tables to occur in the run's record, to the digits shown,
// and margins to agree with the numbers beside them.
func checkNumbers(t *testing.T, b *browser.Browser, result string) {
	t.Helper()
	var page struct {
		Runs, Rows [][]string
		Judged     []string
		Limited    []string // cards with a limit
	}
	if err := b.Eval(said, &page); err != nil {
		t.Fatal(err)
	}
	var document struct{ Runs []any }
	text, err := os.ReadFile(result)
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil || len(page.Runs) != len(document.Runs) || len(document.Runs) == 0 {
		t.Fatalf("%d runs in the page, %d in %s: %v", len(page.Runs), len(document.Runs), result, err)
	}
	checked := 0
	for i, run := range document.Runs {
		known := map[float64]bool{}
		collect(run, known)
		texts := page.Runs[i]
		if len(page.Rows) > 0 {
			texts = append(texts, page.Rows[i]...)
		}
		for _, text := range texts {
			for _, m := range shownNumber.FindAllStringSubmatch(text, -1) {
				checked++
				if !isOneOf(known, m[1], unitOf(m)) {
					t.Errorf("run %d: the page says %s in %q; result.json has no such number", i+1, m[0], text)
				}
			}
		}
	}
	if checked < 20*len(document.Runs) {
		t.Errorf("%d numbers in the page", checked)
	}
	for _, text := range page.Judged {
		checkMargin(t, text)
	}
	for _, text := range page.Limited {
		if why := wrongMargin(text); why != "" {
			t.Errorf("the card %q: %s", text, why)
		}
	}
}

// Numbers that differ in a shown digit are different, and so are margins.
func TestShownNumbers(t *testing.T) {
	known := map[float64]bool{}
	collect(map[string]any{"p": .99, "ns": 1713500.0, "rounded": "1.7135", "list": []any{true, "sha256 12ab"}}, known)
	for text, want := range map[string]bool{
		"1.71 ms": true, "1.72 ms": false, "1,713,500 ns": true, "1.7135": true, "1.714": true, "99 %": true, "98 %": false,
		"1.71 s": true, "17.1 ms": false, "12": true, "13": false,
	} {
		m := shownNumber.FindStringSubmatch(text)
		if got := isOneOf(known, m[1], unitOf(m)); got != want {
			t.Errorf("%s: %t, want %t", text, got, want)
		}
	}
	for text, want := range map[string]float64{
		"p99 latency 12.0 ms, at most 15.0 ms +20.0 %": 20, "p99 TTFT 300 µs, at most 2.00 s +10.0 %": 99.985,
	} {
		margin, reckoned, ok := margins(text)
		if fits := math.Abs(margin-reckoned) < .1; !ok || math.Abs(reckoned-want) > 1e-9 || fits != (want == 20) {
			t.Errorf("%s: %g, want %g", text, reckoned, want)
		}
	}
	for text, right := range map[string]bool{
		"12.000 ms, at most 15 ms, 20 % below": true, "12.000 ms, at most 15 ms, 20 % above": false,
		"18.000 ms, at most 15 ms, 20 % above": true, "97.100 %, at least 96.129 %, 1.0 % above": true,
		"97.100 %, at least 96.129 %, 1.2 % above": false, "15.000 ms, at most 15 ms, just met": true,
		"12.000 ms, at most 15 ms, soon": false, "12.000 ms, at most 15 s, 20 % below": false,
	} {
		if why := wrongMargin(text); (why == "") != right {
			t.Errorf("%s: %q", text, why)
		}
	}
}

func unitOf(match []string) string {
	if match[2] == "" && strings.HasSuffix(match[0], "%") {
		return "%"
	}
	return match[2]
}

// collect finds all numbers of a record, including those in texts.
func collect(v any, into map[float64]bool) {
	switch v := v.(type) {
	case float64:
		into[v] = true
	case string:
		for _, m := range shownNumber.FindAllStringSubmatch(v, -1) {
			if n, err := parse(m[1]); err == nil {
				into[n] = true
				into[math.Abs(n)] = true
			}
		}
	case []any:
		for _, e := range v {
			collect(e, into)
		}
		into[float64(len(v))] = true
	case map[string]any:
		for key, e := range v {
			collect(e, into)
			collect(key, into)
		}
	}
}

func parse(text string) (float64, error) {
	return strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
}

// scales are the factors that convert a number of the record to a shown unit: the number is in that unit, in
// nanoseconds, in bytes, or a fraction.
var scales = map[string][]float64{
	"": {1}, "ns": {1}, "µs": {1, 1e-3}, "ms": {1, 1e-6}, "s": {1, 1e-9, 1e-3}, "min": {1}, "%": {1, 100}, "B": {1},
	"kB": {1, 1e-3}, "MB": {1, 1e-6}, "GB": {1, 1e-9}, "W": {1}, "mJ": {1},
}

// isOneOf reports whether a number, to its digits, is one of those known.
func isOneOf(known map[float64]bool, text, unit string) bool {
	v, err := parse(text)
	if err != nil {
		return false
	}
	digits := 0
	if _, fraction, ok := strings.Cut(text, "."); ok {
		digits = len(fraction)
	}
	room := .5000001 * math.Pow(10, -float64(digits))
	for k := range known {
		for _, scale := range scales[unit] {
			if math.Abs(k*scale-v) <= room {
				return true
			}
		}
	}
	return false
}

// judgement is "p99 latency 12.0 ms, at most 15.0 ms +20.0 %".
var judgement = regexp.MustCompile(`([0-9.]+) (ns|µs|ms|s), at most ([0-9.]+) (ns|µs|ms|s)\s+([-+0-9.]+) %$`)

// checkMargin recomputes the margin of a time.
func checkMargin(t *testing.T, text string) {
	t.Helper()
	if margin, want, ok := margins(text); ok && math.Abs(want-margin) > .1+math.Abs(want)/50 {
		t.Errorf("%q: the margin is %.1f %%", text, want)
	}
}

// limited is "19.169 ms, at most 15 ms, 28 % above", in one unit.
var limited = regexp.MustCompile(`^([0-9.,]+) ?(.*), at (?:most|least) ([0-9.,]+) ?(.*), ([0-9.]+) % (above|below)$`)

// wrongMargin describes what is wrong with the margin of a card. It returns "" if the margin agrees with the card's
// figure and limit.
func wrongMargin(text string) string {
	if strings.HasSuffix(text, ", just met") || strings.Contains(text, ", less than 0.01 % ") {
		return ""
	}
	m := limited.FindStringSubmatch(text)
	if m == nil || m[2] != m[4] {
		return "want a figure and a limit of one unit, and a margin"
	}
	value, err1 := parse(m[1])
	limit, err2 := parse(m[3])
	margin, err3 := parse(m[5])
	want := 100 * (value/limit - 1)
	if err := errors.Join(err1, err2, err3); err != nil || (want > 0) != (m[6] == "above") ||
		math.Abs(math.Abs(want)-margin) > .11+math.Abs(want)/50 {
		return fmt.Sprintf("the figure is %.2f %% above its limit (%v)", want, err)
	}
	return ""
}

// margins returns the margin that a text states and the one computed from its numbers, in percent of the limit. ok is
// false for other texts.
func margins(text string) (margin, reckoned float64, ok bool) {
	m := judgement.FindStringSubmatch(text)
	if m == nil {
		return 0, 0, false
	}
	ns := map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
	value, err1 := parse(m[1])
	limit, err2 := parse(m[3])
	margin, err3 := parse(m[5])
	return margin, 100 * (1 - value*ns[m[2]]/(limit*ns[m[4]])), err1 == nil && err2 == nil && err3 == nil
}

// countRuns returns the number of runs in a folder's record.
func countRuns(t *testing.T, out string) int {
	t.Helper()
	var document struct{ Runs []json.RawMessage }
	text, err := os.ReadFile(filepath.Join(out, "result.json"))
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(document.Runs)
}

// checkPaper prints the page and checks the number of sheets.
func checkPaper(t *testing.T, b *browser.Browser, page string, most int) {
	t.Helper()
	if _, err := b.Open("file://"+page, 1200, 900, "dark"); err != nil {
		t.Fatal(err)
	}
	n, err := b.CountSheets()
	if err != nil {
		t.Fatal(err)
	}
	if n < 1 || n > most {
		t.Errorf("printed, the page has %d sheets, want at most %d", n, most)
	}
}
