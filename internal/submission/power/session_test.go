package power

import (
	"crypto/sha1" //nolint:gosec // what the power tools write
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/submission/tree"
	"github.com/plumbline-ml/plumbline/loadgen/mllog"
)

// place is the result that the sessions of these tests belong to.
var place = tree.Place{
	Division: "closed", Submitter: "Lab", System: "box", Benchmark: "resnet50", Scenario: "Offline",
}

// madeSession is a session as the power tools would leave it: 100 W in both runs of ten minutes.
type madeSession struct {
	t              *testing.T
	root           string
	client, server map[string]any
	round          string // empty: the newest
}

func newSession(t *testing.T) *madeSession {
	s := &madeSession{t: t, root: t.TempDir()}
	start := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	s.run(place.Ranging(), start, 100)
	s.run(place.Run(), start.Add(time.Hour), 100)
	for _, name := range tree.PowerFiles() {
		s.put(path.Join(place.Power(), name), []byte("text"))
	}
	for _, side := range []*map[string]any{&s.client, &s.server} {
		*side = map[string]any{
			"version": 1, "timezone": 0, "modules": map[string]string{}, "sources": officialSources,
			"messages": []any{say("mlcommons/power client v3", "mlcommons/power server v3"), say("time", "1")},
			"uuid": map[string]string{
				"client": "6a0f8c5e-29bb-4ac1-a0c1-0a52cb4c9f1e", "server": "{6A0F8C5E29BB4AC1A0C10A52CB4C9F1F}",
			},
			"session_name": "box", "results": map[string]string{},
			"phases": map[string]any{"ranging": phases(start), "testing": phases(start.Add(time.Hour))},
		}
	}
	s.server["ptd_messages"] = []any{say("Identify", "YokogawaWT310E,serial,version=1.11.1-abc"),
		say("SR,A,Auto", "Range A changed"), say("SR,V,300", "Range V changed"), say("Stop", "Stopping untimed measurement"),
		say("Go,1000,0,x", "Starting untimed measurement, maximum 500000 samples at 1000ms with 0 rampup samples")}
	s.server["ptd_config"] = []any{map[string]any{"device_type": 49}}
	s.sums()
	return s
}

func say(cmd, reply string) map[string]string { return map[string]string{"cmd": cmd, "reply": reply} }

// phases are the checkpoints around a run of ten minutes.
func phases(start time.Time) [][]float64 {
	var all [][]float64
	for _, minute := range []float64{-2, -1, 11, 12} {
		all = append(all, []float64{float64(start.Unix()) + 60*minute, 0})
	}
	return all
}

// run makes the logs of a run of ten minutes.
func (s *madeSession) run(folder string, start time.Time, watts float64) {
	const form = "01-02-2006 15:04:05.000"
	var log, samples []byte
	log = mllog.AppendDetail(log, mllog.DetailEntry{Key: "power_begin", Value: start.Format(form)})
	log = mllog.AppendDetail(log, mllog.DetailEntry{Key: "power_end", Value: start.Add(10 * time.Minute).Format(form)})
	for i := range 60 {
		at := start.Add(time.Duration(10*i) * time.Second)
		samples = spl.AppendSample(samples, spl.Sample{Time: at, Watts: watts}, "box_testing")
	}
	s.put(path.Join(folder, tree.DetailLog), log)
	s.put(path.Join(folder, tree.SummaryLog), []byte("summary"))
	s.put(path.Join(folder, tree.PowerSamples), samples)
}

func (s *madeSession) put(name string, text []byte) {
	s.t.Helper()
	file := filepath.Join(s.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// sums records the checksums of the files as they are.
func (s *madeSession) sums() {
	s.t.Helper()
	sums := map[string]string{}
	for _, name := range sessionResults() {
		text, err := os.ReadFile(filepath.Join(s.root, place.Results(), tree.PerformanceDir, name))
		if err != nil {
			s.t.Fatal(err)
		}
		sum := sha1.Sum(text) //nolint:gosec // as above
		sums[name] = hex.EncodeToString(sum[:])
	}
	s.client["results"], s.server["results"] = map[string]string{}, sums
}

func (s *madeSession) check() []Fault {
	s.t.Helper()
	for name, side := range map[string]any{"client.json": s.client, "server.json": s.server} {
		text, err := json.Marshal(side)
		if err != nil {
			s.t.Fatal(err)
		}
		s.put(path.Join(place.Power(), name), text)
	}
	in, err := tree.Open(s.root, s.round)
	if err != nil {
		s.t.Fatal(err)
	}
	defer in.Close()
	return CheckSession(in, place)
}

func TestSessionThatIsSound(t *testing.T) {
	if got := newSession(t).check(); len(got) != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestSessionFaults(t *testing.T) {
	hour := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	for want, spoil := range map[string]func(*madeSession){
		"form: not what the power tools write, without version": func(s *madeSession) { s.client = map[string]any{} },
		"form: not what the power tools write: results is a number, want an object": func(s *madeSession) {
			s.client["results"] = 5
		},
		"sources: the programs": func(s *madeSession) {
			s.server["sources"] = map[string]string{"client.py": "x"}
		},
		"uuid: found the client's": func(s *madeSession) {
			s.client["uuid"] = map[string]string{"client": "none", "server": "{6A0F8C5E29BB4AC1A0C10A52CB4C9F1F}"}
		},
		"session name: found": func(s *madeSession) { s.server["session_name"] = "other" },
		"messages: found 0":   func(s *madeSession) { s.server["messages"] = []any{} },
		"messages: message 2": func(s *madeSession) {
			s.server["messages"] = []any{say("mlcommons/power client v3", "mlcommons/power server v3"), say("stop", "1")}
		},
		"messages: the session begins": func(s *madeSession) {
			all := []any{say("mlcommons/power client v3", "mlcommons/power server v4")}
			s.client["messages"], s.server["messages"] = all, all
		},
		"phases: found 0 checkpoints": func(s *madeSession) { s.server["phases"] = map[string]any{"testing": phases(hour)} },
		"phases: checkpoint 1 of the testing phase is 0.801 s": func(s *madeSession) {
			s.server["phases"] = map[string]any{
				"ranging": phases(hour.Add(-time.Hour)),
				"testing": append([][]float64{{float64(hour.Unix()) - 120.801}}, phases(hour)[1:]...),
			}
		},
		"phases: the run lasted":        func(s *madeSession) { s.run(place.Run(), hour.Add(3*time.Hour), 100); s.sums() },
		"phases: the run drew":          func(s *madeSession) { s.run(place.Run(), hour, 94); s.sums() },
		"phases: no sample":             func(s *madeSession) { s.run(place.Run(), hour, 0); s.sums() },
		"checksums: it is not the file": func(s *madeSession) { s.put(path.Join(place.Power(), "client.log"), []byte("x")) },
		"checksums: no sum of":          func(s *madeSession) { s.server["results"] = map[string]string{} },
		"checksums: run_1/spl.txt has the sum": func(s *madeSession) {
			s.client["results"] = map[string]string{"run_1/spl.txt": "0"}
		},
		"debug: the server": func(s *madeSession) { s.server["debug"] = true },
		"meter: the meter answered": func(s *madeSession) {
			s.server["ptd_messages"] = []any{say("Identify", "Homemade,version=1.11.1-x")}
		},
		"meter: device number 1": func(s *madeSession) { s.server["ptd_config"] = []any{map[string]any{"device_type": 1}} },
		"meter: the daemon answered": func(s *madeSession) {
			s.server["ptd_messages"] = []any{say("Identify", "YokogawaWT310,x,version=1.11.1-x"), say("SR,A,5", "no")}
		},
	} {
		s := newSession(t)
		spoil(s)
		got := s.check()
		if len(got) == 0 || !strings.HasPrefix(got[0].About+": "+got[0].Text, want) {
			t.Errorf("got %+v, want %q first", got, want)
		}
	}
}

// TestMetersOfRounds: before v5.1 the settings of the meter are an object, and a list from then on.
func TestMetersOfRounds(t *testing.T) {
	one := map[string]any{"device_type": 49, "command": []string{"ptd"}, "channel": []int{1, 2}}
	const form = "form: not what the power tools of the round write: "
	list := func(devices ...any) []any { return devices }
	bad := map[string]any{"device_type": 1}
	for name, c := range map[string]struct {
		round  string
		config any
		want   string // of the first fault; empty: none
	}{
		"v5.0":                     {"v5.0", one, ""},
		"v5.1":                     {"v5.1", list(one), ""},
		"v6.0":                     {"v6.0", list(one), ""},
		"v6.1":                     {"v6.1", list(one), ""},
		"several":                  {"v6.1", list(one, one, one), ""},
		"none":                     {"v6.1", list(), ""},
		"v5.0, another number":     {"v5.0", bad, "meter: device number 1"},
		"v6.0, another number":     {"v6.0", list(one, bad), "meter: device number 1"},
		"v5.0, a list":             {"v5.0", list(one), form + "ptd_config is a list, want an object"},
		"v5.1, an object":          {"v5.1", one, form + "ptd_config is an object, want a list"},
		"v6.0, numbers":            {"v6.0", list(5), form + "ptd_config is a number, want an object"},
		"v5.0, a text":             {"v5.0", "x", form + "ptd_config is a text, want an object"},
		"v5.0, a number in quotes": {"v5.0", map[string]any{"device_type": "49"}, form + "ptd_config.device_type is a text"},
	} {
		s := newSession(t)
		s.round, s.server["ptd_config"] = c.round, c.config
		got := s.check()
		switch {
		case c.want == "" && len(got) > 0:
			t.Errorf("%s: got %+v", name, got)
		case c.want != "" && (len(got) == 0 || !strings.HasPrefix(got[0].About+": "+got[0].Text, c.want)):
			t.Errorf("%s: got %+v, want %q first", name, got, c.want)
		}
	}
	s := newSession(t)
	delete(s.server, "ptd_config")
	if got := s.check(); len(got) != 1 || !strings.Contains(got[0].Text, "without ptd_config") {
		t.Errorf("without any: got %+v", got)
	}
}

func FuzzParseSession(f *testing.F) {
	f.Add(`{"version":1,"timezone":0,"modules":{},"sources":{},"messages":[],"uuid":{},"session_name":"","results":{},` +
		`"phases":{"ranging":[[1]],"testing":[]}}`)
	f.Fuzz(func(t *testing.T, text string) {
		s, faults := parseSession("x", []byte(text))
		if (s == nil) != (len(faults) > 0) {
			t.Errorf("%q: %v, %v", text, s, faults)
		}
	})
}

// TestToolsOfRounds: a round's programs and the version of its daemon count, and not those of another.
func TestToolsOfRounds(t *testing.T) {
	own, err := readTools("v4.1")
	if err != nil || own.Daemon == daemonVersion || len(own.Sources) == 0 {
		t.Fatalf("the tools are %+v, %v", own, err)
	}
	sources := maps.Clone(officialSources)
	maps.Copy(sources, own.Sources)
	for name, c := range map[string]struct {
		round   string
		daemon  string
		sources map[string]string
		want    []string // what the faults are about
	}{
		"its own":                   {"v4.1", own.Daemon, sources, nil},
		"the present ones":          {"v4.1", daemonVersion, officialSources, []string{"sources", "sources", "meter"}},
		"the present daemon":        {"v4.1", daemonVersion, sources, []string{"meter"}},
		"former ones":               {"v5.0", own.Daemon, sources, []string{"sources", "sources", "meter"}},
		"the present ones of v5.0":  {"v5.0", daemonVersion, officialSources, nil},
		"programs of one side only": {"v4.1", own.Daemon, nil, []string{"sources"}},
	} {
		s := newSession(t)
		s.round, s.server["ptd_config"] = c.round, map[string]any{"device_type": 49}
		s.client["sources"], s.server["sources"] = sources, c.sources
		if c.sources != nil {
			s.client["sources"] = c.sources
		}
		s.server["ptd_messages"] = []any{say("Identify", "YokogawaWT310E,serial,version="+c.daemon+"-abc")}
		var about []string
		for _, f := range s.check() {
			about = append(about, f.About)
		}
		if !slices.Equal(about, c.want) {
			t.Errorf("%s: faults about %q, want %q", name, about, c.want)
		}
	}
}
