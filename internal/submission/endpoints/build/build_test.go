package build

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/check"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/testkit/madetrees"
	"github.com/plumbline-ml/plumbline/internal/submission/system"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// inTheSheets are the keys of point.yaml that a person writes once for all points.
var inTheSheets = regexp.MustCompile(`(?m)^(division|model_precision|link_to_model|link_to_model_transformation|` +
	`model_notes|dataset_link|shared_src|shared_docs):.*\n`)

// runFolders writes the points of a made curve as the official client's folders, without what the workspace knows.
func runFolders(t *testing.T, tree fstest.MapFS, curve, to string) {
	t.Helper()
	for name, f := range tree {
		if path.Dir(path.Dir(name)) != curve {
			continue
		}
		place, text := path.Base(name), f.Data
		switch place {
		case systemDesc:
			continue
		case summaryFile:
			place = "performance/" + place
		case accuracyFile:
			place = "accuracy/" + place
		case pointFile:
			text = inTheSheets.ReplaceAll(text, nil)
		}
		write(t, filepath.Join(to, path.Base(path.Dir(name)), place), text)
	}
}

func write(t *testing.T, file string, text []byte) {
	t.Helper()
	err := os.MkdirAll(filepath.Dir(file), 0o755)
	if err == nil {
		err = os.WriteFile(file, text, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// fill writes fields of a sheet, as a person would.
func fill(t *testing.T, w *Workspace, file string, fields []system.Field, values map[string]string) {
	t.Helper()
	sheet, _, err := w.readSheet(file, fields)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fields {
		if v, ok := values[f.Name]; ok {
			sheet.Put(f.Name, v)
			delete(values, f.Name)
		}
	}
	if len(values) > 0 {
		t.Fatalf("%s has no fields %v", file, values)
	}
	write(t, filepath.Join(w.Dir, file), sheet.JSON())
}

// filled are what a person says of the systems of the bases, by the kinds of sheets.
func filled(nodes, data string) (ofSystem, ofNode, ofModel map[string]string) {
	page := "https://vendor.example.com/spec"
	return map[string]string{"system_name": "Made system", "shortened_system_name": "Made", "division": "Standardized",
			"system_availability_status": "Available", "availability_url": page, "serving_framework": "vLLM 0.30.1",
			"tensor_parallel": "8", "pipeline_parallel": "1", "expert_parallel": "1", "data_parallel": data,
			"disaggregated": "false", "batch": "512", "scale_out_network": "yes", "scale_out_cabling": "passive",
			"scale_out_nics_per_node": "8", "scale_out_nic_gbps": "400", "scale_out_nic_watts": "25",
			"scale_out_nic_source": page, "scale_out_switch_model": "SN5610", "scale_out_switches": "2",
			"scale_out_switch_tbps": "51.2"}, map[string]string{"number_of_nodes": nodes,
			"host_processor_model_name": "AMD EPYC 9575F", "host_processors_per_node": "2", "host_processor_core_count": "64",
			"host_memory_capacity": "2 TB", "host_memory_configuration": "24 x 96 GB", "accelerator_model_name": "Accel X200",
			"accelerators_per_node": "8", "accelerator_memory_capacity": "192 GB", "accelerator_memory_type": "HBM3e",
			"accelerator_interconnect": "fabric", "accelerator_host_interconnect": "PCIe", "host_network_card_count": "8x 400",
			"host_networking": "Ethernet", "host_storage_capacity": "4 TB", "host_storage_type": "NVMe", "cooling": "air",
			"inference_backend": "made", "driver": "580.1", "operating_system": "Ubuntu 24.04", "filesystem": "ext4",
			"accelerator_watts": "1000", "accelerator_source": "publication " + page, "scale_up_switches": "4",
			"scale_up_switch_watts": "300", "scale_up_source": page}, map[string]string{"model_precision": "FP8",
			"link_to_model": "https://vendor.example.com/m", "link_to_model_transformation": "https://vendor.example.com/q",
			"dataset_link": "https://vendor.example.com/d"}
}

// prepared is a workspace with a made curve of a base.
func prepared(t *testing.T, base fstest.MapFS, curve, nodes, data string) *Workspace {
	t.Helper()
	dir := t.TempDir()
	rules := endpoints.NewestRules()
	o := InitOptions{Organisation: "Lab", System: path.Base(path.Dir(curve))}
	known := map[string]string{"host_processor_model_name": "a machine"}
	w, written, err := InitWorkspace(filepath.Join(dir, "submission"), o, known, rules)
	if err != nil || len(written) != 3 {
		t.Fatal(written, err)
	}
	runFolders(t, base, curve, filepath.Join(dir, "points"))
	added, err := w.Add([]string{filepath.Join(dir, "points")}, AddOptions{Now: time.Unix(0, 0)}, rules)
	if err != nil || len(added) < 7 {
		t.Fatal(added, err)
	}
	ofSystem, ofNode, ofModel := filled(nodes, data)
	fill(t, w, systemFile(o.System), systemFields(), ofSystem)
	fill(t, w, nodeFile(o.System, "node"), nodeFields(), ofNode)
	fill(t, w, modelFile(path.Base(curve)), modelFields(), ofModel)
	write(t, filepath.Join(w.Dir, "src", "vllm", "README.md"), []byte("how\n"))
	write(t, filepath.Join(w.Dir, "docs", "calibration.md"), []byte("none\n"))
	return w
}

// TestTreesOfPoints: of the points of made curves, in the client's folders and without what a person knows, trees come
// about that the check accepts, with as many rows as that of the base has.
func TestTreesOfPoints(t *testing.T) {
	for _, c := range []struct{ archive, curve, nodes, data string }{
		{"dedicated", "sub/results/X200x8/gpt-oss-120b", "1", "1"},
		{"elected", "sub/results/X200x32/llama3_1-8b", "4", "4"},
		{"agentic", "sub/results/X200x16/kimi-k3", "2", "2"},
	} {
		golden.Each(t, "endpoints/base/"+c.archive+".tar.gz", func(t *testing.T, file string) {
			base := madetrees.Unpack(t, file)
			w := prepared(t, base, c.curve, c.nodes, c.data)
			p, err := w.NewPlan(endpoints.NewestRules())
			if err != nil {
				t.Fatal(err)
			}
			if len(p.OpenFields) > 0 || len(p.Missing) > 0 && c.nodes != "1" {
				t.Errorf("open %v, missing %q", p.OpenFields, p.Missing)
			}
			out := filepath.Join(t.TempDir(), "tree")
			if replaced, err := p.Write(t.Context(), out, false); err != nil || replaced {
				t.Fatal(replaced, err)
			}
			if replaced, err := p.Write(t.Context(), out, true); err != nil || !replaced {
				t.Fatal(replaced, err)
			}
			keepTree(t, c.archive, filepath.Join(out, "Lab"))
			report, err := check.Check(filepath.Join(out, "Lab"), endpoints.NewestRules())
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range report.Rows {
				if r.Severity == check.Error {
					t.Errorf("%s %s: %s", r.Rule, r.Path, r.Message)
				}
			}
			org := filepath.Join(t.TempDir(), "org")
			madetrees.Write(t, base, org)
			want, err := check.Check(org, endpoints.NewestRules())
			if err != nil {
				t.Fatal(err)
			}
			if got, want := rules(report), rules(want); !slices.Equal(got, want) {
				t.Errorf("the rules that hold differ from those of the base:\n%q\n%q", got, want)
			}
			compareUtilization(t, filepath.Join(out, "Lab", "pending"), base, c.curve)
		})
	}
}

// keepTree copies a tree to where the environment asks for them: the official checker can then be run on it.
func keepTree(t *testing.T, name, tree string) {
	t.Helper()
	to := os.Getenv("PLUMBLINE_KEEP_TREES")
	if to == "" {
		return
	}
	if err := os.CopyFS(filepath.Join(to, name), os.DirFS(tree)); err != nil {
		t.Fatal(err)
	}
}

// rules are those of the rows that hold, once each.
func rules(r *check.Report) (names []string) {
	for _, row := range r.Rows {
		if row.Severity == check.Info && !slices.Contains(names, row.Rule) {
			names = append(names, row.Rule)
		}
	}
	slices.Sort(names)
	return names
}

// compareUtilization wants tps_utilization as in the base, whose figure has six digits.
func compareUtilization(t *testing.T, tree string, base fstest.MapFS, curve string) {
	t.Helper()
	n := 0
	for name, f := range base {
		if path.Base(name) != systemDesc || path.Dir(path.Dir(name)) != curve {
			continue
		}
		text, err := os.ReadFile(filepath.Join(tree, strings.TrimPrefix(name, "sub/")))
		if err != nil {
			t.Fatal(err)
		}
		var got, want struct {
			Utilization float64 `json:"tps_utilization"`
			CMax        int     `json:"max_supported_concurrency"`
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(f.Data, &want); err != nil {
			t.Fatal(err)
		}
		if d := got.Utilization - want.Utilization; d < -1e-6 || d > 1e-6 || got.CMax != want.CMax {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		n++
	}
	if n < 7 {
		t.Errorf("%d points", n)
	}
}

// TestWhatIsMissing: a workspace with nothing filled in says what to do, of each file.
func TestWhatIsMissing(t *testing.T) {
	golden.Each(t, "endpoints/base/elected.tar.gz", func(t *testing.T, file string) {
		base, curve := madetrees.Unpack(t, file), "sub/results/X200x32/llama3_1-8b"
		dir, rules := t.TempDir(), endpoints.NewestRules()
		w, _, err := InitWorkspace(filepath.Join(dir, "submission"), InitOptions{Organisation: "Lab"}, nil, rules)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.NewPlan(rules); err == nil {
			t.Error("a plan without points")
		}
		runFolders(t, base, curve, filepath.Join(dir, "points"))
		if _, err := w.Add([]string{filepath.Join(dir, "points")}, AddOptions{}, rules); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Add([]string{filepath.Join(dir, "points", "r16")}, AddOptions{}, rules); err == nil {
			t.Error("a point was taken twice")
		}
		p, err := w.NewPlan(rules)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(p.Missing, "\n")
		for _, want := range []string{"README.md", "docs"} {
			if !strings.Contains(text, want) {
				t.Errorf("missing does not name %s:\n%s", want, text)
			}
		}
		if len(p.OpenFields) < 30 {
			t.Errorf("%d fields are open", len(p.OpenFields))
		}
		write(t, filepath.Join(dir, "points", "r16", "performance", summaryFile), []byte("{}"))
		if _, err := w.NewPlan(rules); err == nil || !strings.Contains(err.Error(), "r16") {
			t.Errorf("a summary has changed: %v", err)
		}
		if _, err := w.Remove([]string{"r17"}); err == nil {
			t.Error("a point was removed that is not there")
		}
		if removed, err := w.Remove([]string{"r16"}); err != nil || len(removed) != 1 {
			t.Error(removed, err)
		}
	})
}

// TestRehearsalIsMarked: a point of a rehearsal is refused, or marked.
func TestRehearsalIsMarked(t *testing.T) {
	dir, rules := t.TempDir(), endpoints.NewestRules()
	w, _, err := InitWorkspace(filepath.Join(dir, "submission"), InitOptions{Organisation: "Lab"}, nil, rules)
	if err != nil {
		t.Fatal(err)
	}
	point := filepath.Join(dir, "r4")
	write(t, filepath.Join(point, pointFile),
		[]byte("concurrency: 4\nmodel_name: gpt-oss-120b\nclient: plumbline\nrehearsal: true\n"))
	write(t, filepath.Join(point, configFile), []byte("name: r4\n"))
	write(t, filepath.Join(point, summaryFile), []byte(`{"duration_ns": 1}`))
	if _, err := w.Add([]string{point}, AddOptions{}, rules); err == nil || !strings.Contains(err.Error(), "rehearsal") {
		t.Errorf("%v", err)
	}
	added, err := w.Add([]string{point}, AddOptions{Rehearsal: true}, rules)
	if err != nil || len(added) != 1 || len(added[0].Marks) != 1 {
		t.Error(added, err)
	}
	for name, text := range map[string]string{"concurrency": "model_name: gpt-oss-120b\n",
		"model_name": "concurrency: 4\nmodel_name: gpt\n"} {
		bad := filepath.Join(dir, name)
		write(t, filepath.Join(bad, pointFile), []byte(text))
		write(t, filepath.Join(bad, configFile), []byte("name: r4\n"))
		write(t, filepath.Join(bad, summaryFile), []byte("{}"))
		if _, err := w.Add([]string{bad}, AddOptions{}, rules); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestEngagement: replicas and nodes that stay idle are declared as the rules count them.
func TestEngagement(t *testing.T) {
	for _, c := range []struct {
		nodes, tensor, data int
		reason, want        string
		fails               bool
	}{
		{4, 8, 4, "", "null", false},
		{4, 24, 1, "", `["nodes_used", [{"system_node_ensemble_id": 0, "nodes": 3}]]`, false},
		{4, 8, 2, "memory", `["dp_shortfall", {"dp_actual": 2, "dp_formula": 4, "reason": "memory"}, ` +
			`"nodes_used", [{"system_node_ensemble_id": 0, "nodes": 2}]]`, false},
		{4, 8, 2, "", `["dp_shortfall", {"dp_actual": 2, "dp_formula": 4, "reason": ""}, ` +
			`"nodes_used", [{"system_node_ensemble_id": 0, "nodes": 2}]]`, true},
		{4, 8, 5, "", "null", true},
	} {
		d := &describedSystem{name: "x", sheet: system.NewSheet(systemFields()), nodes: []nodeKind{{count: c.nodes,
			accelerators: 8}}}
		d.sheet.Put("dp_shortfall_reason", c.reason)
		desc := pyvalue.NewDict()
		for name, n := range map[string]int{"tensor_parallel": c.tensor, "pipeline_parallel": 1, "expert_parallel": 1,
			"data_parallel": c.data} {
			desc.Set(name, int64(n))
		}
		more, err := d.engagementOf(desc)
		got := "null"
		if more != nil {
			got = pyvalue.JSON(more)
		}
		if got != c.want || (err != nil) != c.fails {
			t.Errorf("%+v: %s, %v", c, got, err)
		}
	}
}

// TestPowerOfProcessors: nodes without accelerators have the power of their processors, and do not count accelerators.
func TestPowerOfProcessors(t *testing.T) {
	for watts, kw := range map[string]float64{"": 2 * 350 * 1.5 / 1000, "200": 2 * 200 * 1.5 / 1000} {
		sheet := system.NewSheet(nodeFields())
		for name, v := range map[string]string{"host_processor_model_name": "AMD EPYC", "host_processors_per_node": "2",
			"host_processor_core_count": "64", "cooling": "air", "cpu_watts": watts, "cpu_source": "https://a.example"} {
			sheet.Put(name, v)
		}
		d := &describedSystem{name: "x", sheet: system.NewSheet(systemFields()), nodes: []nodeKind{{sheet: sheet, count: 1}}}
		p := d.makePower(endpoints.NewestRules())
		text := pyvalue.JSON(p.dict)
		if p.KW != kw || len(p.unfinished) > 0 || strings.Contains(text, "count_per_node") {
			t.Errorf("%v kW, want %v; open %q: %s", p.KW, kw, p.unfinished, text)
		}
	}
}
