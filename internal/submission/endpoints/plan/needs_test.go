package plan

import (
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/pyvalue"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/internal/schema"
)

// TestNeeds: of five passes one is cropped, so that the run takes a quarter longer than its window.
func TestNeeds(t *testing.T) {
	rules := endpoints.NewestRules()
	single := choose(t, Options{Model: "gpt-oss-120b", CMax: 512})
	agentic := choose(t, Options{Model: "kimi-k3", CMax: 256})
	for _, c := range []struct {
		p    *Plan
		q    Point
		want PointNeeds
	}{
		{single, single.Points[0], PointNeeds{31980, 750 * time.Second, 4 * 6396 / 600.0, 31980}},
		{single, single.Points[6], PointNeeds{31980, 1500 * time.Second, 4 * 6396 / 1200.0, 31980 / 512.0}},
		{single, single.Points[7], PointNeeds{6396, 0, 0, 1}},
		{single, Point{Concurrency: 64, Passes: 8, WindowSeconds: 1200},
			PointNeeds{51168, 1371429 * time.Millisecond, 7 * 6396 / 1200.0, 51168 / 64.0}},
		{single, Point{Concurrency: 64, Passes: 1, WindowSeconds: 1200},
			PointNeeds{6396, 1200 * time.Second, 5.33, 6396 / 64.0}},
		{agentic, agentic.Points[6], PointNeeds{613, 2400 * time.Second, 613 / 2400.0, 613 / 256.0}},
		{agentic, agentic.Points[0], PointNeeds{613, 600 * time.Second, 613 / 600.0, 613}},
	} {
		if got := c.p.NeedsOf(c.q, rules); got != c.want {
			t.Errorf("%s, %d passes: %+v, want %+v", c.q.Name(), c.q.Passes, got, c.want)
		}
	}
	if least, _ := single.TotalNeeds(rules); least != (4*750+3*1500)*time.Second {
		t.Errorf("the total is %v", least)
	}
}

// TestClientConfig: each kind of point has the client's names of the seeds, its pattern, and whole passes.
func TestClientConfig(t *testing.T) {
	rules := endpoints.NewestRules()
	single := choose(t, Options{Model: "gpt-oss-120b", CMax: 512})
	agentic := choose(t, Options{Model: "kimi-k3", CMax: 256})
	const runtime = `"runtime": {"min_duration_ms": %, "scheduler_random_seed": 10487924139932647040, ` +
		`"dataloader_random_seed": 586478644936801402}, "load_pattern": `
	const counted = `"runtime": {"min_duration_ms": %, "n_samples_to_issue": #, "scheduler_random_seed": ` +
		`10487924139932647040, "dataloader_random_seed": 586478644936801402}, "load_pattern": `
	fill := func(form, ms, samples string) string { return strings.NewReplacer("%", ms, "#", samples).Replace(form) }
	const oss = `"top_k": -1, "max_new_tokens": 32768, "skip_special_tokens": false`
	for _, c := range []struct {
		p       *Plan
		i       int
		kind    string
		want    string
		sets    int
		params  string
		command string
	}{
		{single, 0, "online", fill(counted, "750000", "31980") +
			`{"type": "concurrency", "target_concurrency": 1}}`, 4, oss, "--config r1.yaml --mode both"},
		{single, 2, "online", fill(counted, "750000", "31980") +
			`{"type": "concurrency", "target_concurrency": 10}}`, 1, oss,
			"--config r10.yaml --mode perf"},
		{single, 7, "offline", fill(counted, "0", "6396") + `{"type": "max_throughput"}}`, 4,
			oss, "--config r6396.yaml --mode both"},
		{agentic, 6, "online", fill(runtime, "2400000", "") + `{"type": "agentic_inference", "target_concurrency": 256}}`, 1,
			`"max_new_tokens": 8192`, "--mode perf"},
	} {
		text, err := c.p.ClientConfig(c.p.Points[c.i], rules)
		if err != nil {
			t.Fatal(err)
		}
		d, err := schema.ParseYAML(text, 1<<20)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		got := func(name string) string { v, _ := d.Get(name); return pyvalue.JSON(v) }
		sets, _ := pyvalue.Field[[]any](d, "datasets")
		if got("settings") != "{"+c.want || got("type") != `"`+c.kind+`"` || len(sets) != c.sets {
			t.Errorf("%s\nwant %s of %d sets", text, c.want, c.sets)
		}
		if want := `{"name": "` + c.p.Model + `", "tokenizer_name": "TOKENIZER", "streaming": "on", "temperature": 1.0, ` +
			`"top_p": 1.0, ` + c.params + "}"; got("model_params") != want {
			t.Errorf("model_params are %s, want %s", got("model_params"), want)
		}
		if !strings.Contains(string(text), c.command) {
			t.Errorf("%q is missing in\n%s", c.command, text)
		}
	}
	text, _ := agentic.ClientConfig(agentic.Points[0], rules)
	want := "  agentic_inference:\n    enable_salt: true\n    inject_tool_delay: true\n" +
		"    num_trajectories_to_issue: 613\n"
	if !strings.Contains(string(text), want) {
		t.Errorf("%q is missing in\n%s", want, text)
	}
	agentic.SeedSet = "Z"
	if _, err := agentic.ClientConfig(agentic.Points[0], rules); err == nil {
		t.Error("seeds of no set were written")
	}
}

// TestClientTexts: what a person fills in is a text to the client, too, whatever YAML 1.1 makes of it without quotes.
func TestClientTexts(t *testing.T) {
	for _, text := range []string{"on", "no", "Y", "~", "0777", "1:30", "1_000", "1e3", ".5", "2026-01-01", "null", "0x1f",
		"- a", "a: b", "#x", "x #y", "&a", "*a", "!t", "%d", "@a", "{", "[", "'", "\"", "a\\b", "a\nb", "\t", " x ",
		"=", "<<", "é", "0o17", "0b1", "+1", "-.inf", "1.", "?", "-", ">", "|", "---", "..."} {
		p := choose(t, Options{Model: "gpt-oss-120b", CMax: 512})
		p.Client = ClientSettings{Endpoint: text, Tokenizer: text, PerformanceSet: text, AccuracySet: text, ServedModel: text}
		config, err := p.ClientConfig(p.Points[0], endpoints.NewestRules())
		if err != nil {
			t.Fatal(err)
		}
		d, err := schema.ParseYAML(config, 1<<20)
		if err != nil {
			t.Errorf("%q: %v\n%s", text, err, config)
			continue
		}
		if strings.Contains(string(config), `\u0026`) {
			t.Errorf("%q is written as HTML", text)
		}
		part, _ := pyvalue.Field[*pyvalue.Dict](d, "endpoint_config")
		addresses, _ := pyvalue.Field[[]any](part, "endpoints")
		sets, _ := pyvalue.Field[[]any](d, "datasets")
		path, _ := sets[0].(*pyvalue.Dict).Get("path")
		if len(addresses) != 1 || addresses[0] != text || path != text {
			t.Errorf("%q is read as %v and %v", text, addresses, path)
		}
	}
}

// TestClientSets: a set that the client fetches by itself has no file, and a file of accuracy stands for all its sets.
func TestClientSets(t *testing.T) {
	rules := endpoints.NewestRules()
	for _, c := range []struct{ model, performance, accuracy, want string }{
		{"llama3_1-8b", "", "", `[{"name": "cnn_dailymail::llama3_8b", "type": "performance"}, ` +
			`{"name": "cnn_dailymail::llama3_8b", "type": "accuracy", "accuracy_config": {"eval_method": "rouge", ` +
			`"ground_truth": "highlights", "extractor": "identity_extractor", "num_repeats": 1}}]`},
		{"llama3_1-8b", "p.json", "a.json", `[{"name": "performance", "type": "performance", "path": "p.json", ` +
			`"parser": {"prompt": "input"}}, {"name": "accuracy", "type": "accuracy", "path": "a.json", ` +
			`"parser": {"prompt": "input"}, "accuracy_config": {"eval_method": "rouge", "ground_truth": "highlights", ` +
			`"extractor": "identity_extractor", "num_repeats": 1}}]`},
		{"deepseek-r1", "p.parquet", "", `[{"name": "performance", "type": "performance", "path": "p.parquet", ` +
			`"parser": {"input_tokens": "input_tokens"}}, {"name": "legacy_mlperf_deepseek_r1", "type": "accuracy", ` +
			`"accuracy_config": {"eval_method": "legacy_mlperf_deepseek_r1", "ground_truth": "ground_truth", ` +
			`"num_repeats": 1}}]`},
	} {
		p := choose(t, Options{Model: c.model, CMax: 512})
		if empty := p.Client.PerformanceSet == ""; empty != (rules.Clients[c.model].Performance != "") {
			t.Errorf("%s: a new plan has the set %q", c.model, p.Client.PerformanceSet)
		}
		p.Client.PerformanceSet, p.Client.AccuracySet = c.performance, c.accuracy
		text, err := p.ClientConfig(p.Points[0], rules)
		if err != nil {
			t.Fatal(err)
		}
		d, err := schema.ParseYAML(text, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if sets, _ := d.Get("datasets"); pyvalue.JSON(sets) != c.want {
			t.Errorf("%s, want\n%s", pyvalue.JSON(sets), c.want)
		}
	}
}
