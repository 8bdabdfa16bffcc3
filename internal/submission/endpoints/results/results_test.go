package results

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
)

// pointFiles are the files of a point that fails in no way, of 1,000 requests in 100 s.
func pointFiles() map[string]string {
	return map[string]string{
		"point.yaml": "concurrency: 4\nregion: low_latency\noffline: none\n" +
			"steady_state: {status: windowable, verdict: STEADY STATE}\n",
		"result_summary.json": `{"n_samples_issued": 1000, "n_samples_completed": 1000, "n_samples_failed": 0,
			"duration_ns": 100000000000, "ttft": {"percentiles": {"90.0": 120000000}},
			"tpot": {"percentiles": {"90": 20000000}}, "output_sequence_lengths": {"total": 50000}}`,
		"system_desc.json": `{"max_supported_concurrency": 64, "tps_utilization": 1}`,
	}
}

// read writes a submission of one point, and reads it.
func read(t *testing.T, files map[string]string) (*Results, Point) {
	t.Helper()
	sub := filepath.Join(t.TempDir(), "org", "sub")
	dir := filepath.Join(sub, "results", "box", "model", "r4")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r, err := Read(sub, endpoints.NewestRules())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Curves) != 1 || len(r.Curves[0].Points) != 1 || r.Organisation != "org" || r.Submission != "sub" {
		t.Fatalf("%+v", r)
	}
	return r, r.Curves[0].Points[0]
}

// TestFiguresOfAPoint: figures are worked out by the rules; what stands in no file is not known.
func TestFiguresOfAPoint(t *testing.T) {
	_, p := read(t, pointFiles())
	for name, f := range map[string]struct {
		got  *float64
		want float64
	}{"system_tps": {p.SystemTPS, 500}, "tps_per_user": {p.TPSPerUser, 50}, "ttft": {p.TTFT, 120}, "tpot": {p.TPOT, 20},
		"qps": {p.QPS, 10}, "tps_utilization": {p.Utilization, 1}} {
		if f.got == nil || *f.got != f.want {
			t.Errorf("%s is %s, want %v", name, Shown(f.got), f.want)
		}
	}
	if p.KW != nil || p.TPSPerKW != nil || p.Interactivity != nil || len(p.Notes) > 0 ||
		p.Region != endpoints.LowLatency || p.Status != "windowable" || p.Verdict != "STEADY STATE" {
		t.Errorf("%+v", p)
	}
}

// TestFiguresOfBadFiles: a figure of a file that is wrong is not known, and never 0 or of no finite number; the forms
// can be read all the same.
func TestFiguresOfBadFiles(t *testing.T) {
	summary := func(old, new string) map[string]string {
		files := pointFiles()
		text := strings.Replace(files["result_summary.json"], old, new, 1)
		if text == files["result_summary.json"] {
			t.Fatalf("%s does not stand there", old)
		}
		files["result_summary.json"] = text
		return files
	}
	without := func(name string) map[string]string {
		files := pointFiles()
		delete(files, name)
		return files
	}
	with := func(name, text string) map[string]string {
		files := pointFiles()
		files[name] = text
		return files
	}
	const all = "system_tps tps_per_user ttft tpot qps"
	for name, c := range map[string]struct {
		files         map[string]string
		unknown, note string
	}{
		"no summary":             {without("result_summary.json"), all, "result_summary.json is missing"},
		"a summary of a list":    {with("result_summary.json", "[1]"), all, "result_summary.json is missing or"},
		"half a summary":         {with("result_summary.json", `{"duration_ns": 1`), all, "result_summary.json is missing"},
		"an empty summary":       {with("result_summary.json", "{}"), all, ""},
		"no time":                {summary("100000000000", "0"), "system_tps qps", ""},
		"endless time":           {summary("100000000000", "1e999"), "system_tps qps", "qps is NaN"},
		"time that is NaN":       {summary("100000000000", "NaN"), "system_tps qps", "system_tps is NaN"},
		"endless time per token": {summary(`"90": 20000000`, `"90": Infinity`), "tps_per_user tpot", "of tpot is Infinity"},
		"TPOT of 0":              {summary(`"90": 20000000`, `"90": 0`), "tps_per_user", ""},
		"no percentiles":         {summary(`{"percentiles": {"90": 20000000}}`, "{}"), "tps_per_user tpot", ""},
		"TTFT that is a word":    {summary("120000000", `"soon"`), "ttft", ""},
		"tokens that are true":   {summary("50000", "true"), "system_tps", ""},
		"tokens without an object": {summary(`{"total": 50000}`, "50000"), "system_tps",
			""},
		"a stated figure that is NaN":       {summary(`{"n_`, `{"system_tps": NaN, "n_`), "system_tps", "system_tps is NaN"},
		"no description":                    {without("system_desc.json"), "tps_utilization", ""},
		"tps_utilization of NaN":            {with("system_desc.json", `{"tps_utilization": NaN}`), "tps_utilization", "NaN"},
		"no point.yaml":                     {without("point.yaml"), "", "point.yaml is missing"},
		"a point.yaml of a list":            {with("point.yaml", "[1]"), "", "point.yaml is missing or cannot be read"},
		"a point.yaml with words elsewhere": {with("point.yaml", "concurrency: many\nsteady_state: 7\n"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, p := read(t, c.files)
			for figure, x := range map[string]*float64{"system_tps": p.SystemTPS, "tps_per_user": p.TPSPerUser, "ttft": p.TTFT,
				"tpot": p.TPOT, "qps": p.QPS, "tps_utilization": p.Utilization} {
				if missing := strings.Contains(" "+c.unknown+" ", " "+figure+" "); missing != (x == nil) {
					t.Errorf("%s is %s", figure, Shown(x))
				}
			}
			if notes := strings.Join(p.Notes, "; "); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
				t.Errorf("notes %q", notes)
			}
			readable(t, r, p)
		})
	}
}

// readable wants each form of results to be whole.
func readable(t *testing.T, r *Results, p Point) {
	t.Helper()
	var table, lines, object, bundle bytes.Buffer
	for _, err := range []error{r.WriteTable(&table), r.WriteCSV(&lines), r.WriteJSON(&object),
		r.WriteViz(&bundle, time.Now())} {
		if err != nil {
			t.Error(err)
		}
	}
	rows, err := csv.NewReader(&lines).ReadAll()
	if err != nil || len(rows) != 2 || len(rows[0]) != len(rows[1]) {
		t.Errorf("%v (%v)", rows, err)
	}
	if !json.Valid(object.Bytes()) || !json.Valid(bundle.Bytes()) {
		t.Errorf("no JSON: %s %s", object.Bytes(), bundle.Bytes())
	}
	for _, note := range p.Notes {
		if !strings.Contains(table.String(), "box/model/r4: "+note) {
			t.Errorf("the table does not say %q: %s", note, table.String())
		}
	}
	if !strings.Contains(table.String(), "power not known") || !strings.Contains(table.String(), "the check has ") {
		t.Error(table.String())
	}
}

// TestBundleOfUnreadPoints: what a bundle leaves out is among its warnings.
func TestBundleOfUnreadPoints(t *testing.T) {
	files := pointFiles()
	delete(files, "result_summary.json")
	r, _ := read(t, files)
	var out bytes.Buffer
	if err := r.WriteViz(&out, time.Now()); err != nil {
		t.Fatal(err)
	}
	var bundle struct {
		Warnings          []string
		Submissions, Runs []any
	}
	if err := json.Unmarshal(out.Bytes(), &bundle); err != nil || bundle.Runs == nil || bundle.Submissions == nil ||
		len(bundle.Runs)+len(bundle.Submissions) > 0 || len(bundle.Warnings) != 2 ||
		!strings.HasPrefix(bundle.Warnings[0], "org/sub/box/model/r4: result_summary.json is missing") {
		t.Errorf("%s (%v)", out.Bytes(), err)
	}
}

// TestNoCurve: a folder without points is named.
func TestNoCurve(t *testing.T) {
	for _, folders := range []string{"results", "results/box", "results/box/model/x4", "closed"} {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, folders), 0o777); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(dir, endpoints.NewestRules()); err == nil || !strings.Contains(err.Error(), "no point of a curve") {
			t.Errorf("%s: %v", folders, err)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "none"), endpoints.NewestRules()); err == nil {
		t.Error("a folder that is not there")
	}
}

// TestBundleOfOddValues: of several files with a field, the one counts that counts for the official visualizer;
// a value that says nothing there is passed over.
func TestBundleOfOddValues(t *testing.T) {
	summary := func(more string) string {
		return strings.Replace(pointFiles()["result_summary.json"], "{", "{"+more+", ", 1)
	}
	for name, c := range map[string]struct {
		file, text, field string
		want              any
	}{
		"concurrency of point.yaml":   {"point.yaml", "concurrency: 7", "concurrency", 7.0},
		"a negative one":              {"point.yaml", "concurrency: -3", "concurrency", -3.0},
		"one in a text":               {"point.yaml", "concurrency: '12'", "concurrency", 12.0},
		"concurrency 0":               {"point.yaml", "concurrency: 0", "concurrency", 4.0},
		"a concurrency that is false": {"point.yaml", "concurrency: false", "concurrency", 4.0},
		"concurrency of config.yaml":  {"config.yaml", "concurrency: 9", "concurrency", 4.0},
		"a type":                      {"config.yaml", "type: online", "config_type", "online"},
		"a type of 0":                 {"config.yaml", "type: 0\nbenchmark_mode: x", "config_type", "x"},
		"a type of an empty list":     {"config.yaml", "type: []", "config_type", nil},
		"the configuration as echoed": {"result_summary.json", summary(`"run_config": {"type": "a"}`),
			"config_type", "a"},
		"a state": {"result_summary.json", summary(`"state": "aborted"`),
			"result_state", "aborted"},
		"a state of an empty object": {"result_summary.json", summary(`"state": {}, "complete": true`),
			"result_state", "complete"},
		"not complete": {"result_summary.json", summary(`"complete": false`),
			"result_state", nil},
		"a date":                     {"point.yaml", "run_date: 2026-11-02", "run_date", "2026-11-02"},
		"a date of an empty list":    {"point.yaml", "run_date: []", "run_date", ""},
		"average tokens as declared": {"point.yaml", "output_token_average: 80", "average_output_tokens", 80.0},
		"average tokens as measured": {"point.yaml", "output_token_average: 0", "average_output_tokens", 50.0},
		"a score": {"accuracy_results.json", `{"metric": "m", "score": 0.45678}`,
			"measured_accuracy_score", "m=0.4568"},
		"a whole score": {"accuracy_results.json", `{"score": 3}`,
			"measured_accuracy_score", "score=3"},
		"a score that is false": {"accuracy_results.json", `{"score": false}`,
			"measured_accuracy_score", "score=0"},
		"scores within": {"accuracy_results.json", `{"d": {"scores": {"a": 1.0, "b": 2}}}`,
			"measured_accuracy_score", "a=1.0, b=2"},
		"a score of a set without name": {"accuracy_results.json", `{"accuracy_scores": [{"dataset_name": [], "score": 1}]}`,
			"measured_accuracy_score", "score=1"},
		"no score": {"accuracy_results.json", `{"score": null, "d": {"scores": {}}}`,
			"measured_accuracy_score", nil},
	} {
		t.Run(name, func(t *testing.T) {
			files := pointFiles()
			files[c.file] = c.text
			r, _ := read(t, files)
			var out bytes.Buffer
			if err := r.WriteViz(&out, time.Now()); err != nil {
				t.Fatal(err)
			}
			var bundle struct {
				Runs []struct {
					Run struct {
						Direct map[string]any `json:"direct_fields"`
					}
				}
			}
			if err := json.Unmarshal(out.Bytes(), &bundle); err != nil || len(bundle.Runs) != 1 {
				t.Fatalf("%s (%v)", out.Bytes(), err)
			}
			if got := bundle.Runs[0].Run.Direct[c.field]; got != c.want {
				t.Errorf("%s is %v, want %v", c.field, got, c.want)
			}
		})
	}
}
