package published

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
	"github.com/plumbline-ml/plumbline/loadgen/official"
)

// logCounts is what reading every detail log of a round gave.
type logCounts struct {
	Read    int `json:"read"`    // with settings, samples and an end
	Refused int `json:"refused"` // empty ones, pointers, and runs that were broken off
	Text    int `json:"text"`    // of those read: in the text form
	// Results are performance runs with a summary beside the log, Same those whose headline is the summary's.
	Results int `json:"results"`
	Same    int `json:"same"`
	// Older, Newer, Both and Unknown are performance runs by the order of their samples.
	Older   int `json:"older_order"`
	Newer   int `json:"newer_order"`
	Both    int `json:"either_order"`
	Unknown int `json:"unknown_order"`
}

// readDetails reads every detail log of a round, with the summary beside it.
func readDetails(t *testing.T, r *repository, counts *logCounts) {
	var list []blob
	for _, b := range r.files {
		if name := path.Base(b.path); (name == tree.DetailLog || name == tree.SummaryLog) && !b.leftOut() && !b.link() {
			list = append(list, b)
		}
	}
	folder, log := "", (*mllog.Detail)(nil) // of the detail log before: in a folder it is listed before the summary
	r.each(t, list, func(b blob, text []byte) {
		if path.Base(b.path) == tree.DetailLog {
			folder, log = path.Dir(b.path), counts.detail(t, b, text)
			return
		}
		if log == nil || path.Dir(b.path) != folder {
			return
		}
		s, err := mllog.ReadSummary(bytes.NewReader(text))
		if err != nil || s.Result == "" {
			return
		}
		counts.Results++
		if err := headlineOf(log, s); err != nil {
			t.Logf("%s: %v", b.path, err)
			return
		}
		counts.Same++
	})
}

// detail reads a detail log; nil where it cannot be.
func (c *logCounts) detail(t *testing.T, b blob, text []byte) *mllog.Detail {
	d, err := mllog.ScanDetail(bytes.NewReader(text))
	for _, key := range []string{"effective_scenario", "effective_test_mode", "sut_name", "power_end"} {
		if err == nil && !d.Has(key) {
			err = errors.New("it has no " + key)
		}
	}
	if err != nil {
		t.Logf("%s: %v", b.path, err)
		c.Refused++
		return nil
	}
	c.Read++
	if d.Text {
		c.Text++
	}
	c.order(d)
	return d
}

// order counts a performance run by the order of its samples.
func (c *logCounts) order(d *mllog.Detail) {
	number := func(key string) uint64 {
		e, _ := d.First(key)
		n, _ := e.Uint()
		return n
	}
	if mode, _ := d.First("effective_test_mode"); mode.Value != loadgen.PerformanceOnly.String() {
		return
	}
	var older, newer bool
	for _, o := range loadgen.SampleOrderOf(d.FirstLoaded, number("qsl_reported_total_count"),
		number("effective_performance_sample_count"), number("effective_qsl_rng_seed")) {
		older, newer = older || o.Older, newer || !o.Older
	}
	switch {
	case older && newer:
		c.Both++
	case older:
		c.Older++
	case newer:
		c.Newer++
	default:
		c.Unknown++
	}
}

// headlineOf says how the result that is read of a log differs from what its summary states.
func headlineOf(d *mllog.Detail, s *mllog.Summary) error {
	d.AddSummary(s)
	scenario, _ := d.First("effective_scenario")
	name, _ := scenario.Text()
	r := &loadgen.Result{}
	var err error
	if r.Effective.Scenario, err = loadgen.ParseScenario(name); err != nil {
		return err
	}
	r.Effective.Mode = loadgen.PerformanceOnly
	percentile, _ := d.First("effective_target_latency_percentile")
	r.Effective.TargetLatencyPercentile, _ = percentile.Float()
	samples, _ := d.First("effective_samples_per_query")
	r.Effective.SamplesPerQuery, _ = samples.Uint()
	tokens, _ := d.First("requested_use_token_latencies")
	r.Requested.UseTokenLatencies = tokens.Value == true
	if err := official.Read(d, r); err != nil {
		return err
	}
	if string(r.Verdict) != s.Result {
		return fmt.Errorf("verdict %s, the summary has %s", r.Verdict, s.Result)
	}
	if len(s.Headline) == 0 {
		return errors.New("the summary has no result")
	}
	stated := r.Metric
	version, _ := d.First("loadgen_version")
	switch text, _ := version.Text(); {
	case r.EarlyStopping.Estimate > 0: // is published, and the summary begins with the percentile
		stated = float64(r.TargetPercentile.Latency)
	case strings.HasPrefix(text, "4.") && strings.HasPrefix(s.Headline[0].Label, "Scheduled"):
		stated = r.ScheduledSamplesPerSec // though v4.0 and v4.1 published the completed rate
	}
	for _, f := range s.Headline {
		v, err := strconv.ParseFloat(f.Value, 64)
		if err == nil && math.Abs(v-stated) <= math.Max(1e-5*v, .005001) { // the detail log has six digits
			return nil
		}
	}
	return fmt.Errorf("%s %v, the summary has %v", r.MetricName, r.Metric, s.Headline)
}

func printLogs(table []row) {
	fmt.Println("| round | detail logs read | refused | of them text | results as the summaries say | " +
		"samples in the order before GCC 11 | from GCC 11 on | either | another |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|")
	for _, r := range table {
		c := r.logs
		fmt.Printf("| %s | %d | %d | %d | %d of %d | %d | %d | %d | %d |\n", r.round, c.Read, c.Refused, c.Text, c.Same,
			c.Results, c.Older, c.Newer, c.Both, c.Unknown)
	}
	fmt.Println()
}
