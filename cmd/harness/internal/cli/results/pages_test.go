package results

import (
	"bytes"
	"encoding/xml"
	"errors"
	"html"
	"io"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/compare"
)

func made(name string, values ...float64) compare.Comparison {
	s := compare.FigureSample{Values: values, Median: values[0], Min: values[0], Max: values[len(values)-1]}
	return compare.Comparison{
		Base: compare.ComparedSide{Name: name, Runs: len(values)}, New: compare.ComparedSide{Name: name},
		Notes: []string{name},
		Pairs: []compare.ScenarioPair{{
			Name: name, Model: name, Scenario: name, Kind: name, Notes: []string{name},
			Differs: []compare.PropertyDifference{{About: name, Base: name, New: name}},
			Rows: []compare.FigureRow{
				{Name: name, Title: name, Unit: name, Main: true, Base: s, New: s, Verdict: compare.VerdictWorsened},
				{Name: "p95", Title: "95th", Unit: "ms", Base: s, New: s, Verdict: compare.VerdictUnknown},
			},
		}},
	}
}

func written(t *testing.T, c compare.Comparison) string {
	t.Helper()
	var b bytes.Buffer
	if err := writeComparison(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestHostileNamesAreText(t *testing.T) {
	const name = `"'><script>alert(1)</script><img src=x onerror=alert(1)>`
	text := written(t, made(name, 1, 2))
	for _, bad := range []string{"<script", "<img", "onerror=alert(1)>\n", "http://", "https://"} {
		if strings.Contains(text, bad) {
			t.Errorf("%q is in the page", bad)
		}
	}
	if !strings.Contains(text, "Content-Security-Policy") ||
		!strings.Contains(html.UnescapeString(text), "default-src 'none'") {
		t.Error("the page has no policy")
	}
	if n := strings.Count(text, "&lt;script&gt;"); n < 9 || !strings.Contains(text, `<h2 dir="auto">&#34;`) {
		t.Errorf("the name is there %d times", n)
	}
}

func TestDots(t *testing.T) {
	if text := written(t, made("m", 1)); strings.Contains(text, `class="dots"`) {
		t.Error("dots of one run each")
	}
	text := written(t, made("m", 1, 2, 4))
	for _, want := range []string{`cx="5.0" cy="7"`, `cx="55.0" cy="17"`, `cx="155.0"`, `class="verdict bad"`,
		`class="verdict "`,
		"Every other figure"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing in:\n%s", want, text)
		}
	}
	if equal := written(t, made("m", 3, 3)); !strings.Contains(equal, `cx="80.0"`) {
		t.Error("equal values are not in the middle")
	}
}

// TestEveryElementEnds reads the page as XML, as far as HTML allows.
func TestEveryElementEnds(t *testing.T) {
	d := xml.NewDecoder(strings.NewReader(written(t, made("m", 1, 2, 4))))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are left open", depth)
	}
}

// TestHistoryPage: the page of a history has a chart of each series with two entries, and the words of its changes.
func TestHistoryPage(t *testing.T) {
	row := func(v float64, verdict compare.DifferenceVerdict) compare.FigureRow {
		s := compare.FigureSample{Values: []float64{v}, Median: v, Min: v, Max: v}
		return compare.FigureRow{Name: "samples_per_second", Title: "samples per second", Unit: "samples/s", Base: s, New: s,
			Verdict: verdict}
	}
	const name = "<b>תווית</b>"
	entries := []compare.TimelineEntry{{Label: name, FigureRow: row(100, compare.VerdictFirst)},
		{Verdicts: "INVALID", FigureRow: row(90, compare.VerdictWorsened)}}
	one := compare.BenchmarkSeries{Name: "one", Title: "T", Unit: "u", Entries: entries[:1]}
	two := compare.BenchmarkSeries{Name: "two", Title: "T", Unit: "u", Entries: entries}
	var b bytes.Buffer
	if err := writeHistory(&b, compare.Timeline{Series: []compare.BenchmarkSeries{one, two}}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if n := strings.Count(text, `<svg class="plot"`); n != 1 {
		t.Errorf("%d charts of two series, one with a single entry", n)
	}
	for _, want := range []string{`<figure id="series-2">`, "change larger than the spread", "with INVALID or failed runs",
		">worse</text>", "<bdi>&lt;b&gt;תווית&lt;/b&gt;</bdi>", `data-label="Label"`, `<html lang="en">`} {
		if !strings.Contains(text, want) {
			t.Errorf("the page has no %s", want)
		}
	}
}
