package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/bench/record/series"
	"github.com/plumbline-ml/plumbline/loadgen"
)

// source is a run whose latencies grow, with a peak.
type source struct {
	n, per int
	tokens bool
}

func (s source) Start() time.Time     { return time.Unix(1_700_000_000, 0) }
func (s source) Samples() int         { return s.n }
func (s source) SamplesPerQuery() int { return s.per }
func (s source) HasTokens() bool      { return s.tokens }
func (s source) HasFirstTokens() bool { return s.tokens }

func (s source) Slot(i int) loadgen.Slot {
	due := int64(i/s.per) * 9_000_000
	took := 4_000_000 + int64(i*7919%997)*6_000 + int64(i)*300
	if i == s.n/3 {
		took *= 4
	}
	return loadgen.Slot{Scheduled: due, Issued: due + int64(i%50)*2000, FirstToken: due + took/3 + 1, Done: due + took,
		Tokens: 64}
}

func TestCharts(t *testing.T) {
	const timed = "latency latency-distribution latency-histogram throughput outstanding issue-delay"
	for name, c := range map[string]struct {
		source
		want string
	}{
		"server":  {source{3000, 1, false}, timed},
		"streams": {source{4000, 8, false}, timed},
		"offline": {source{2048, 2048, false}, "latency-distribution latency-histogram throughput outstanding"},
		"tokens":  {source{700, 1, true}, timed + " ttft ttft-distribution tpot tpot-distribution tokens"},
		"one":     {source{1, 1, false}, "throughput outstanding"},
		"two":     {source{2, 1, false}, timed},
	} {
		t.Run(name, func(t *testing.T) {
			facts := Facts{Percentile: .99, Limit: 15_000_000, TTFTLimit: 5_000_000, TPOTLimit: 1e9, TargetSamplesPer: 111}
			var ids []string
			for _, chart := range Charts(series.Of(c.source), facts) {
				ids = append(ids, chart.ID)
				check(t, name, chart)
			}
			if got := strings.Join(ids, " "); got != c.want {
				t.Errorf("charts %s, want %s", got, c.want)
			}
		})
	}
}

// check holds a chart to being XML without style attributes, of little size, and a PNG that can be read.
func check(t *testing.T, name string, c Chart) {
	t.Helper()
	text, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 30_000 || bytes.Contains(text, []byte("style=")) || bytes.Contains(text, []byte("NaN")) {
		t.Errorf("%s: %d bytes, with style attributes or numbers that are none", c.ID, len(text))
	}
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
	}
	var picture, alone bytes.Buffer
	if err := errors.Join(c.WritePNG(&picture), c.WriteSVG(&alone)); err != nil {
		t.Fatal(err)
	}
	if out := os.Getenv("PLUMBLINE_PLOTS"); out != "" {
		_ = os.WriteFile(filepath.Join(out, name+"-"+c.ID+".png"), picture.Bytes(), 0o600)
		_ = os.WriteFile(filepath.Join(out, name+"-"+c.ID+".svg"), alone.Bytes(), 0o600)
	}
	if _, err := png.Decode(&picture); err != nil {
		t.Errorf("%s: %v", c.ID, err)
	}
}

// Texts of a chart are escaped wherever they stand.
func TestTextsAreEscaped(t *testing.T) {
	const evil = `"><script>alert(1)</script>`
	c := Chart{ID: "x", Title: evil, Alt: evil, X: Axis{Label: evil}, Y: Axis{Label: evil},
		Lines: []Line{{Name: evil, X: []float64{1, 2}, Y: []float64{1, 2}}, {Name: evil, X: []float64{1}, Y: []float64{1}}},
		Marks: []Mark{{Name: evil, At: 1.5}}}
	text, err := c.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("<script")) || bytes.Contains(text, []byte(`""`)) {
		t.Errorf("%s", text)
	}
}

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		v, step float64
		want    string
	}{
		{0, 1, "0"}, {1234567, 1, "1,234,567"}, {.25, .05, "0.25"}, {-1500, 500, "-1,500"}, {999, 1, "999"}, {.5, .1, "0.5"},
	} {
		if got := number(c.v, c.step); got != c.want {
			t.Errorf("number(%g, %g) = %s, want %s", c.v, c.step, got, c.want)
		}
	}
	if got := Duration(1_713_500); got != "1.71 ms" {
		t.Error(got)
	}
}
