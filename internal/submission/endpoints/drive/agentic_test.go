package drive_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/plan"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// trajectories are three conversations of two turns each, whose recorded answers run programs.
func trajectories() string {
	var b strings.Builder
	for c := range 3 {
		for i, row := range []string{`"role":"user","system":"You are an agent.","content":"mend %d",` +
			`"tools":[{"type":"function","function":{"name":"bash"}}]`,
			`"role":"assistant","tool_calls":[{"id":"a%d","type":"function","function":{"name":"bash","arguments":` +
				`"{\"command\":\"grep x | head\"}"}}]`,
			`"role":"tool","delay_seconds":0.001,"tool_results":[{"tool_call_id":"a%[1]d","content":"found %[1]d"}]`,
			`"role":"assistant","tool_calls":[{"id":"b%d","type":"function","function":{"name":"bash","arguments":` +
				`"{\"command\":\"pytest\"}"}}]`} {
			fmt.Fprintf(&b, `{"conversation_id":"conv%d","turn":%d,`+row+"}\n", c, i+1, c)
		}
	}
	return b.String()
}

// newAgentic is a curve of an agentic model whose server answers each turn with the recorded first call.
func newAgentic(t *testing.T, seen func(r *http.Request, body string)) (tr *trial, own *drive.OwnClient) {
	t.Helper()
	mock := openaitest.New(openaitest.Options{Owner: "vllm", Model: "kimi-k3", Step: time.Millisecond,
		Reply: func(*openaitest.Request) *openaitest.Reply {
			return &openaitest.Reply{Calls: []openaitest.Call{{ID: "c", Name: "bash",
				Arguments: json.RawMessage(`{"command":"grep y | head"}`)}}, Finish: "tool_calls"}
		}})
	url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, _ := io.ReadAll(r.Body)
			seen(r, string(body))
			r.Body = io.NopCloser(bytes.NewReader(body))
		}
		mock.ServeHTTP(w, r)
	}))
	rules, dir := endpoints.NewestRules(), t.TempDir()
	p, err := plan.ChoosePlan(plan.Options{Model: "kimi-k3", CMax: 64}, rules)
	if err != nil {
		t.Fatal(err)
	}
	p.Points = p.Points[:3]
	p.Client = plan.ClientSettings{Endpoint: url, PerformanceSet: filepath.Join(dir, "trajectories.jsonl")}
	write(t, p.Client.PerformanceSet, trajectories())
	tr = &trial{}
	own = &drive.OwnClient{Endpoint: url, Prompts: drive.SetOptions(p.Client.PerformanceSet, p.Model, rules),
		Accuracy: drive.AccuracyFileOf(p, rules), Rules: rules, Version: "1", Poll: time.Millisecond}
	tr.Options = drive.Options{Plan: p, Rules: rules, Out: filepath.Join(dir, "curve"), TimeDivisor: 1e6, Client: own,
		Say: func(line string) { tr.said = append(tr.said, line) }}
	return tr, own
}

// TestAgentic: trajectories are replayed turn by turn, with their salt, their session and the benchmark's parameters;
// the answers are scored inline; SWE-bench says what it lacks.
func TestAgentic(t *testing.T) {
	var mu sync.Mutex
	turns, sessions := map[string]int{}, map[string]bool{}
	salted := regexp.MustCompile(`"role":"system","content":"\[salt: ([0-9a-f]{16})\]\\n\\nYou are an agent\."`)
	tr, _ := newAgentic(t, func(r *http.Request, body string) {
		m := salted.FindStringSubmatch(body)
		if m == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		turns[m[1]]++
		sessions[r.Header.Get("X-Session-ID")] = true
		for _, want := range []string{`"temperature":1.0`, `"top_p":1.0`, `"max_tokens":8192`, `"tools":[{`} {
			if !strings.Contains(body, want) {
				t.Errorf("no %s in %s", want, body)
			}
		}
	})
	curve, err := drive.RunCurve(t.Context(), tr.Options)
	if err != nil || len(curve.Points) != 3 {
		t.Fatalf("%+v, %v", curve, err)
	}
	tr.wantSaid(t, "r1: done, ", "r1: no accuracy run: client.swe_bench_service of the plan is missing")
	if len(turns) < 3 || !sessions["conv0"] || !sessions["conv2"] || sessions[""] {
		t.Errorf("salts %v, sessions %v", turns, sessions)
	}
	for salt, n := range turns {
		if n%2 != 0 {
			t.Errorf("the salt %s came in %d turns: want both of a trajectory, at each point", salt, n)
		}
	}
	for _, k := range curve.Points {
		dir := filepath.Join(tr.Out, k.Point.Name())
		if k.Steady != nil || k.Issued%6 != 0 || k.Issued == 0 {
			t.Errorf("%d requests, steady state %v", k.Issued, k.Steady)
		}
		for file, want := range map[string]string{
			"accuracy/accuracy_results.json":  `"dataset_type": "performance"`,
			"scores.json":                     `"score": 0.5,`,
			"config.yaml":                     "type: agentic_inference\n",
			"performance/result_summary.json": `"e2e_avg_interactivity": `,
			drive.PointFile:                   "load_pattern: agentic_inference\n",
		} {
			text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(file)))
			if err != nil || !strings.Contains(string(text), want) {
				t.Errorf("%s has no %q: %v\n%s", file, want, err, text)
			}
		}
	}
}

// benchServer is a service for SWE-bench whose runs go through the given states.
func benchServer(t *testing.T, states ...string) (url string, asked *[]string) {
	t.Helper()
	var mu sync.Mutex
	asked = &[]string{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		*asked = append(*asked, r.Method+" "+r.URL.Path+" "+string(body))
		switch {
		case r.URL.Path == "/health":
			io.WriteString(w, `{"api_version":"v1","capabilities":["swebench.run","swebench.cancel"]}`)
		case len(states) == 0:
			w.WriteHeader(http.StatusTeapot)
		default:
			io.WriteString(w, states[0])
			states = states[1:]
		}
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// TestSWEBench: the official service is asked for the instances, followed, and its result stands beside the inline
// score; a failed run ends the curve, whose performance run is kept.
func TestSWEBench(t *testing.T) {
	tr, own := newAgentic(t, func(*http.Request, string) {})
	tr.Plan.Points = tr.Plan.Points[:1]
	own.Accuracy.Path = filepath.Join(t.TempDir(), "swe.jsonl")
	write(t, own.Accuracy.Path, `{"instance_id":"a__1"}`+"\n"+`{"instance_id":"a__2"}`+"\n")
	const runs = `{"run_id":"r-1","status":"running","agent_completed":1}`
	for _, c := range []struct {
		states []string
		want   string
	}{
		{[]string{runs, `{"run_id":"r-1","status":"failed","error":"no docker"}`}, `ended as failed: "no docker"`},
		{[]string{`{"run_id":"../x","status":"running"}`}, `names its run "../x"`},
		{[]string{runs, `nonsense`, `{}`}, "with what is no JSON"},
		{nil, "answers /v1/runs with 418"},
		{[]string{runs, `{"run_id":"r-1","status":"succeeded","result":{"submitted_instances":3,"resolved_instances":1}}`},
			"contradicts itself: 1 resolved and 3 submitted of 2 instances"},
		{[]string{runs, `{"run_id":"r-1","status":"succeeded","result":{}}`}, "has no submitted_instances"},
	} {
		own.SWEBench, _ = benchServer(t, c.states...)
		curve, err := drive.RunCurve(t.Context(), tr.Options)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(curve.Points) != 1 || curve.Points[0].Accuracy != nil {
			t.Errorf("%+v, error %v, want %q", curve.Points, err, c.want)
		}
	}
	own.SWEBench = "http://user@host/path"
	_, err := drive.RunCurve(t.Context(), tr.Options)
	if err == nil || !strings.Contains(err.Error(), "want http://HOST:PORT") {
		t.Error(err)
	}
	url, asked := benchServer(t, runs, runs, `{"run_id":"r-1","status":"succeeded","result":{"submitted_instances":2,`+
		`"resolved_instances":1}}`)
	own.SWEBench = url
	curve, err := drive.RunCurve(t.Context(), tr.Options)
	if err != nil || curve.Points[0].Accuracy == nil || curve.Points[0].Accuracy.Missing != "" {
		t.Fatalf("%+v, %v", curve, err)
	}
	tr.wantSaid(t, "r1 is there, and not measured again, but for its accuracy run",
		"r1: accuracy: swe_bench: 2 answers in ")
	order := (*asked)[1]
	for _, want := range []string{"POST /v1/runs ", `"evaluated_instance_ids":["a__1","a__2"]`, `"model_name":"kimi-k3"`,
		`"max_new_tokens":8192`, `"workers":1`} {
		if !strings.Contains(order, want) {
			t.Errorf("no %s in %s", want, order)
		}
	}
	var scores struct {
		All []struct {
			Name  string  `json:"dataset_name"`
			Score float64 `json:"score"`
		} `json:"accuracy_scores"`
	}
	text, err := os.ReadFile(filepath.Join(tr.Out, "r1", "accuracy", "accuracy_results.json"))
	if err == nil {
		err = json.Unmarshal(text, &scores)
	}
	if err != nil || len(scores.All) != 2 || scores.All[0].Score != 0.5 || scores.All[1].Name != "swe_bench" ||
		scores.All[1].Score != 0.5 {
		t.Errorf("%+v, %v", scores, err)
	}
}

// TestSWEBenchIsCancelled: a run of the service does not go on behind an interrupt.
func TestSWEBenchIsCancelled(t *testing.T) {
	tr, own := newAgentic(t, func(*http.Request, string) {})
	tr.Plan.Points = tr.Plan.Points[:1]
	own.Accuracy.Path = filepath.Join(t.TempDir(), "swe.jsonl")
	write(t, own.Accuracy.Path, `{"instance_id":"a__1"}`+"\n")
	states := slices.Repeat([]string{`{"run_id":"r-1","status":"running"}`}, 1000)
	url, asked := benchServer(t, states...)
	own.SWEBench = url
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	tr.ReportInterval = time.Nanosecond
	tr.Say = func(line string) {
		if strings.Contains(line, "accuracy: SWE-bench: 0 of 1 instances") {
			stop()
		}
	}
	curve, err := drive.RunCurve(ctx, tr.Options)
	if !errors.Is(err, context.Canceled) || len(curve.Points) != 1 {
		t.Errorf("%d points, %v", len(curve.Points), err)
	}
	if last := (*asked)[len(*asked)-1]; !strings.HasPrefix(last, "POST /v1/runs/r-1/cancel") {
		t.Errorf("the last request is %q", last)
	}
}

// TestCheckTrajectories: what is wrong with a file of trajectories is said before anything is asked.
func TestCheckTrajectories(t *testing.T) {
	rules, dir := endpoints.NewestRules(), t.TempDir()
	for want, text := range map[string]string{
		"":                          trajectories(),
		"has no text of the system": strings.ReplaceAll(trajectories(), `"system":"You are an agent.",`, ""),
		"it has no conversation_id": `{"prompt":"a"}`,
		"holds none":                "\n",
		"want a whole number":       `{"conversation_id":"a","role":"user","content":"b"}`,
	} {
		file := filepath.Join(dir, "set.jsonl")
		write(t, file, text)
		lines, err := drive.CheckTrajectories(file, "kimi-k3", rules)
		if n, _ := drive.CountSamples(file, "kimi-k3", rules); want == "" && n != 3 {
			t.Errorf("%d trajectories, want 3", n)
		}
		switch {
		case want == "" && (err != nil || len(lines) != 1 || !strings.Contains(lines[0], "has 3 trajectories")):
			t.Errorf("%q, %v", lines, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%v, want %q", err, want)
		}
	}
}
