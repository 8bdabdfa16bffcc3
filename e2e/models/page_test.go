package models

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/markdown"
	"github.com/plumbline-ml/plumbline/internal/testkit/officialdata"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// pageServer is the server that a page's command asks, on this machine.
type pageServer struct {
	placeholder string // in the page's url
	start       func(t *testing.T) string
	short       []string // flags of runs that are very short on any machine and end by their counts
	code        int      // 4 if a server without a model is below the target
	says        []string
}

// TestServersPage runs the commands of docs/servers.md at servers without a model.
func TestServersPage(t *testing.T) {
	tokens := []string{"--smoke", "--set", "min_query_count=700", "--set", "min_duration=0", "--set",
		"Server.target_qps=1000",
		"--set", "Server.ttft_latency=60000", "--set", "Server.tpot_latency=60000"}
	pictures := []string{"--smoke", "--count", "64", "--set", "Server.min_query_count=700", "--set",
		"Offline.min_query_count=64", "--set", "min_duration=0", "--set", "Server.target_qps=1000", "--set",
		"Server.target_latency=60000", "--set", "performance_sample_count_override=8"}
	classified := []string{
		"Server        performance  VALID", "Offline       performance  VALID", "accuracy     no target",
		"resnet50 at the server",
	}
	classify := func(t *testing.T) string {
		return harness.StartMock(t, harness.MockOIP, nil, harness.MockClassifier("page", "127.0.0.1:0")...)
	}
	servers := map[string]pageServer{
		"Benchmarking a server with OpenAI's API": {
			"http://HOST:8000", func(t *testing.T) string {
				return harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-says", "256,257,0")
			}, tokens, 4, []string{
				"Server        performance  VALID", "Offline       performance  VALID", "tokens/s", "BELOW TARGET",
			},
		},
		"A fixed number of users": {
			"http://HOST:8000", func(t *testing.T) string {
				return harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-says", "256,257,0")
			}, []string{"--smoke"}, 0, []string{"no LoadGen scenario: closed loop", "32 users"},
		},
		"Servers that transcribe": {
			"http://host:8000/v1", func(t *testing.T) string {
				return harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-transcript", "a quick brown fox")
			}, []string{"--smoke", "--set", "min_query_count=4", "--set", "min_duration=0"}, 0,
			[]string{"Offline       performance  VALID", "100 tokens", "WER 160.00 %"},
		},
		"Reasoning models": {
			"http://host:8000", func(t *testing.T) string {
				return harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-owner", "sglang",
					"-says", "256,257,200002")
			}, append(tokens, "--set", "performance_sample_count_override=8"), 0,
			[]string{"Server        performance  VALID", "Offline       performance  VALID", "tokens/s"},
		},
		"Agents that call tools": {
			"http://host:8080", func(t *testing.T) string {
				file := filepath.Join(t.TempDir(), "answers.jsonl")
				testfile.Write(t, file, `{"contains":"","text":"No."}`)
				return harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0", "-model", "m", "-answers", file)
			}, []string{"--smoke"}, 0, []string{"HOLDS", "mean latency of 14 turns", "16.667 %", "14 answers call no tool"},
		},
		"Models that see": {
			"http://host:8000", productServer, []string{"--smoke", "--scenario", "Offline", "--set", "min_query_count=20",
				"--set", "performance_sample_count_override=20"}, 0, []string{"Offline       performance  VALID", "samples/s"},
		},
		"Benchmarking a server of the Open Inference Protocol": {"HOST:PORT", classify, pictures, 0, classified},
		"Real servers to try": { // the same command: one scenario does
			"ADDRESS", classify, append(pictures, "--scenario", "Offline"), 0, classified[1:],
		},
	}
	commands, _ := markdown.Commands(t, built.Doc("servers.md"), "")
	if len(commands) != len(servers) {
		t.Errorf("docs/servers.md has commands under %d headings, want %d", len(commands), len(servers))
	}
	for heading, all := range commands {
		s, ok := servers[heading]
		if !ok {
			t.Errorf("no test walks the commands under %q", heading)
			continue
		}
		t.Run(heading, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			err := errors.Join(officialdata.WhisperClips(filepath.Join(dir, "librispeech")), reasoningFiles(dir),
				agenticFiles(dir),
				officialdata.WriteHubProducts(filepath.Join(dir, "catalogue")),
				officialdata.WriteProductWords(filepath.Join(dir, "words")))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range all {
				line := strings.ReplaceAll(strings.Join(c, "\n"), "url="+s.placeholder, "url="+s.start(t))
				args := strings.Split(line, "\n")
				for i, a := range args {
					args[i] = strings.ReplaceAll(a, "model=NAME", "model=resnet50")
				}
				cmd := harness.Command(t, built.Harness(), append(append(args, "--quiet"), s.short...)...)
				cmd.Dir = dir
				r := harness.Finish(t, cmd).WantCode(t, s.code)
				for _, want := range s.says {
					r.WantOutput(t, want)
				}
			}
		})
	}
}

// TestTuningPage runs the commands of docs/tuning.md in order, with small grids, tests of milliseconds on eight
// samples, and runs of 20 queries with a latency limit that every machine meets. Later runs use the settings that were
// found.
func TestTuningPage(t *testing.T) {
	commands, _ := markdown.Commands(t, built.Doc("tuning.md"), "")
	all := commands["Tuning"]
	if len(commands) != 2 || len(all) != 6 {
		t.Fatalf("docs/tuning.md has commands %v, want six under its title and those that TestRuntimePage gives", commands)
	}
	limits := []string{"--set", "Server.target_latency=600000", "--set", "Server.target_latency_percentile=50",
		"--set", "Server.min_duration=0", "--set", "Server.min_query_count=20"}
	t.Setenv("PLUMBLINE_CONFIG", t.TempDir())
	dir, found := t.TempDir(), "" // found is the path of the profile
	for _, args := range all {
		line, offline := strings.Join(args, " "), slices.Contains(args, "Offline")
		switch args[0] {
		case "tune":
			args = append(args, "--try-batch", "4", "--try-sessions", "1", "--try-threads", "1", "--time", "20ms",
				"--exhaustive", "--set", "performance_sample_count_override=8")
		case "run":
			args = append(args, "--dry-run", "--scenario", "Offline,Server")
		case "report":
			if at := slices.Index(args, "PROFILE"); at > 0 {
				args[at] = found
			}
		}
		if !offline && args[0] != "report" {
			args = append(args, limits...)
		}
		cmd := harness.Command(t, built.Harness(), args...)
		cmd.Dir = dir
		r := harness.Finish(t, cmd)
		r.WantCode(t, 0)
		if args[0] == "tune" && !offline { // 20 queries take less than ten minutes at any rate
			r.WantOutput(t, "the top was not met")
		}
		profiles, err := filepath.Glob(filepath.Join(os.Getenv("PLUMBLINE_CONFIG"), "tuning", "resnet50-*.json"))
		if err != nil || len(profiles) != 1 {
			t.Fatalf("%s: profiles %q (%v)\n%s", line, profiles, err, r.Both())
		}
		if found = profiles[0]; args[0] == "report" {
			page := testfile.Read(t, filepath.Join(dir, "tuning.html"))
			for _, want := range []string{`id="profile-1"`, "Settings that were tried", "Runs of Server"} {
				if !strings.Contains(page, want) {
					t.Errorf("%s: the page has no %s", line, want)
				}
			}
		}
		if args[0] == "tune" { // tests of milliseconds may leave the setting open
			testfile.Write(t, profiles[0], strings.Replace(testfile.Read(t, profiles[0]), `"decided": false`, `"decided": true`,
				1))
		}
		uses := strings.Contains(r.Stdout, "("+profiles[0]+")")
		if want := args[0] == "run" && !slices.Contains(args, "none"); args[0] == "run" && uses != want {
			t.Errorf("%s: uses the profile %v, want %v\n%s", line, uses, want, r.Both())
		}
	}
}
