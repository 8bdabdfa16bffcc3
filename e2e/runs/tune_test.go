package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestTune measures a small grid of the embedded classifier. A run then uses the profile, but not in another precision.
// The null backend takes no number of threads.
func TestTune(t *testing.T) {
	t.Setenv("PLUMBLINE_CONFIG", t.TempDir())
	r := harness.Run(t, "tune", "resnet50", "--scenario", "Offline", "--try-batch", "1", "--try-sessions", "2",
		"--exhaustive",
		"--time", "50ms").WantCode(t, 0)
	profiles, err := filepath.Glob(filepath.Join(os.Getenv("PLUMBLINE_CONFIG"), "tuning", "resnet50-*.json"))
	if err != nil || len(profiles) != 1 || !strings.Contains(r.Stdout, "written to "+profiles[0]) {
		t.Fatalf("profiles %q (%v); it printed:\n%s", profiles, err, r.Both())
	}
	var profile struct {
		Offline struct {
			SamplesPerSecond float64 `json:"samples_per_second"`
			Points           []struct {
				Threads, Tests int
				Fault          string
			}
		}
	}
	testfile.ReadJSON(t, profiles[0], &profile)
	if o := profile.Offline; !(o.SamplesPerSecond > 0) || len(o.Points) != 2 {
		t.Errorf("the profile is %+v", profile)
	}
	for _, p := range profile.Offline.Points {
		if p.Fault != "" || p.Tests == 0 {
			t.Errorf("a point is %+v", p)
		}
	}
	// tests of milliseconds may leave it open
	text := strings.Replace(testfile.Read(t, profiles[0]), `"decided": false`, `"decided": true`, 1)
	testfile.Write(t, profiles[0], text)
	run := []string{"run", "resnet50", "--scenario", "Offline", "--mode", "performance", "--set", "min_query_count=64",
		"--out", t.TempDir(), "--force"}
	if r := harness.Run(t, run...).WantCode(t, 0); !strings.Contains(r.Stdout, profiles[0]) {
		t.Errorf("the run does not name its profile:\n%s", r.Both())
	}
	if r := harness.Run(t, append(run, "--precision", "int8", "--dry-run")...).WantCode(t,
		0); strings.Contains(r.Stdout, "tuning") {
		t.Errorf("a run of another precision speaks of the profile:\n%s", r.Both())
	}
	null := []string{"tune", "null", "--scenario", "Offline", "--try-batch", "64", "--try-sessions", "1",
		"--exhaustive", "--time", "20ms"}
	if r := harness.Run(t, null...).WantCode(t, 0); !strings.Contains(r.Stdout, "auto") {
		t.Errorf("it printed:\n%s", r.Both())
	}
	if r := harness.Run(t, append(null, "--try-threads", "2")...).WantCode(t, 2); !strings.Contains(r.Stderr,
		"the backend takes no number of threads") {
		t.Errorf("it printed:\n%s", r.Both())
	}
}

// TestTuneAtServers tunes requests in flight at servers of both kinds, where sessions belong to another machine.
func TestTuneAtServers(t *testing.T) {
	for _, server := range []struct {
		mock    string
		flags   []string
		backend []string
		model   string
	}{
		{
			harness.MockOpenAI, []string{"-listen", "127.0.0.1:0", "-model", "llama3.1-8b", "-vocabulary", "1536"},
			[]string{"--backend", "openai"}, "llama3.1-8b",
		},
		{
			harness.MockOIP, harness.MockClassifier("tuned", "127.0.0.1:0"), []string{"--backend", "kserve", "--backend-opt",
				"model=resnet50"},
			"resnet50",
		},
	} {
		t.Run(server.backend[1], func(t *testing.T) {
			config := t.TempDir()
			t.Setenv("PLUMBLINE_CONFIG", config)
			at := append(server.backend, "--backend-opt", "url="+harness.StartMock(t, server.mock, nil, server.flags...))
			tune := append([]string{"tune", server.model, "--scenario", "Offline", "--time", "50ms", "--exhaustive"}, at...)
			r := harness.Run(t, append(tune, "--try-batch", "1", "--try-requests", "2,3")...).WantCode(t, 0)
			profiles, err := filepath.Glob(filepath.Join(config, "tuning", server.model+"-*.json"))
			if err != nil || len(profiles) != 1 {
				t.Fatalf("profiles %q (%v); it printed:\n%s", profiles, err, r.Both())
			}
			var profile struct {
				Offline struct {
					Points []struct {
						Sessions, Threads, Requests, Tests int
						Fault                              string
					}
				}
			}
			testfile.ReadJSON(t, profiles[0], &profile)
			tried := map[int]bool{}
			for _, p := range profile.Offline.Points {
				tried[p.Requests] = p.Tests > 0 && p.Fault == "" && p.Sessions == 0 && p.Threads == 0
			}
			if !tried[2] || !tried[3] {
				t.Errorf("the points are %+v; it printed:\n%s", profile.Offline.Points, r.Both())
			}
			harness.Run(t, append(tune, "--try-sessions", "2")...).WantCode(t, 2)
		})
	}
}

// TestTunedServer searches the rate of Server with a latency limit far above the delays of a busy machine. A later run
// takes the rate and the setting from the profile, and one with another limit says why it does not take the rate.
func TestTunedServer(t *testing.T) {
	t.Setenv("PLUMBLINE_CONFIG", t.TempDir())
	limits := []string{"--scenario", "Server", "--set", "Server.target_latency=3000", "--set", "Server.min_duration=300",
		"--set", "Server.min_query_count=1000"}
	r := harness.Run(t, append([]string{"tune", "null", "--try-batch", "64", "--try-sessions", "1", "--exhaustive",
		"--time",
		"20ms"}, limits...)...).WantCode(t, 0)
	profiles, err := filepath.Glob(filepath.Join(os.Getenv("PLUMBLINE_CONFIG"), "tuning", "null-*.json"))
	if err != nil || len(profiles) != 1 {
		t.Fatalf("profiles %q (%v); it printed:\n%s", profiles, err, r.Both())
	}
	var profile struct {
		Server struct {
			TargetQPS float64 `json:"target_qps"`
		}
	}
	testfile.ReadJSON(t, profiles[0], &profile)
	if !(profile.Server.TargetQPS > 0) {
		t.Fatalf("no rate of Server in the profile; it printed:\n%s", r.Both())
	}
	out := t.TempDir()
	run := append([]string{"run", "null", "--mode", "performance", "--out", out, "--force"}, limits...)
	if r := harness.Run(t, run...); r.Code != 0 && r.Code != 3 || !strings.Contains(r.Stdout, profiles[0]) {
		t.Errorf("exit code %d; the run does not name its profile, or fails:\n%s", r.Code, r.Both())
	}
	var doc struct {
		Runs []struct {
			Settings []struct{ Key, Value, Origin string }
		}
	}
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	taken := false
	for _, s := range doc.Runs[0].Settings {
		taken = taken || s.Key == "target_qps" && strings.Contains(s.Origin, profiles[0])
	}
	if !taken {
		t.Errorf("target_qps does not come from the profile: %+v", doc.Runs[0].Settings)
	}
	other := append(run, "--set", "Server.target_latency=50", "--dry-run")
	if r := harness.Run(t, other...).WantCode(t, 0); !strings.Contains(r.Stdout, "is not used: it was found for") {
		t.Errorf("a run with another limit does not say why it goes without the rate:\n%s", r.Both())
	}
}
