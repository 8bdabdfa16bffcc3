package sweepfile_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/serving/arrival"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/objective"
	"github.com/plumbline-ml/plumbline/serving/sweepfile"
)

// point returns a point with a number of users who each wait 10 ms for the first token and 1 ms for each further one.
// With more than 16 users they wait longer.
func point(t testing.TB, users int, flags ...string) record.Run {
	t.Helper()
	o, err := objective.Parse("p99 ttft < 20ms")
	if err != nil {
		t.Fatal(err)
	}
	slow := max(1, int64(users)/16)
	var all []metrics.Request
	for u := range users {
		for i := range int64(20) {
			due := i * 20e6 * slow
			r := metrics.Request{User: u, Due: due, Sent: due, End: due + 20e6*slow, Status: metrics.OK,
				Usage: metrics.NoUsage(), Retokenized: metrics.Unknown, AskedIn: metrics.Unknown, AskedOut: metrics.Unknown}
			for k := range int64(11) {
				r.Events.Add(metrics.StreamEvent{At: due + (10e6+k*1e6)*slow, Kind: metrics.Content, Text: true, IDs: 1})
			}
			all = append(all, r)
		}
	}
	f := metrics.ComputeFigures(all, metrics.FigureRules{Limits: o.RequestLimits(), Percentiles: o.Percentiles()})
	verdicts := o.JudgeFigures(f)
	holds := objective.AllHeld(verdicts)
	run := record.Run{Model: "m", Mode: record.ModeServing, Dir: "users", Serving: &record.Serving{
		Load: record.ServingLoad{By: arrival.Users, Value: float64(users)}, Figures: f, Objectives: verdicts, Holds: &holds,
		Flags: append([]string{}, flags...)}}
	run.Finish(nil)
	return run
}

func sweep(t testing.TB) *sweepfile.Sweep {
	t.Helper()
	s := &sweepfile.Sweep{Loads: "1..64", Objectives: "p99 ttft < 20ms", Complete: true, Points: []record.Run{
		point(t, 1), point(t, 4), point(t, 16), point(t, 64), point(t, 12, record.ClientLimited, "misses, by far; \"well\""),
	}, Find: &sweepfile.LoadSearch{By: arrival.Users, Found: 16, Trials: []sweepfile.SearchTrial{{Value: 16, Held: true,
		Point: 2}}}}
	s.JudgePoints()
	return s
}

func TestJudge(t *testing.T) {
	s := sweep(t)
	if !slices.Equal(s.Holds, []int{0, 1, 2}) || s.Best == nil || *s.Best != 2 || s.Knee != nil {
		t.Errorf("holds %v, best %v, and a knee among the loads of a search: %v", s.Holds, s.Best, s.Knee)
	}
	s.Find = nil
	if s.JudgePoints(); s.Knee == nil || *s.Knee != 2 || s.NoKnee != nil {
		t.Errorf("knee %v, none up to %v", s.Knee, s.NoKnee)
	}
	if !slices.Equal(s.Pareto, []int{2}) {
		t.Errorf("pareto %v", s.Pareto)
	}
	none := &sweepfile.Sweep{}
	if none.JudgePoints(); none.Best != nil || none.Knee != nil || none.Holds == nil || none.Points == nil {
		t.Errorf("a sweep of no points: %+v", none)
	}
}

// TestConclusion checks the text on the best point, the knee or the point up to which there is none, the end of a
// sweep, and the result of a search.
func TestConclusion(t *testing.T) {
	s := sweep(t)
	s.Find = nil
	s.JudgePoints()
	straight := &sweepfile.Sweep{Complete: true, Points: []record.Run{point(t, 4), point(t, 1), point(t, 2)}}
	straight.JudgePoints()
	cut := &sweepfile.Sweep{Ended: "interrupt", Points: []record.Run{point(t, 1)}}
	cut.JudgePoints()
	none := &sweepfile.Sweep{Complete: true, Objectives: "p99 ttft < 1ns", Ended: sweepfile.Overloaded}
	none.JudgePoints()
	for want, s := range map[string]*sweepfile.Sweep{
		"best goodput 800/s at 16 users. knee at 16 users.":                                                 s,
		"best goodput 200/s at 4 users. no knee up to 4 users.":                                             straight,
		"best goodput 50/s at 1 user. ended by: interrupt; the same command goes on.":                       cut,
		"no point counts and keeps p99 ttft < 1ns. higher loads are left out: the last two are overloaded.": none,
		"": {Complete: true},
	} {
		if got := s.Conclusion(); got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
	var order []float64
	for _, r := range s.InOrder() {
		order = append(order, r.Serving.Load.Value)
	}
	if !slices.Equal(order, []float64{1, 4, 12, 16, 64}) {
		t.Errorf("in order: %v", order)
	}
}

func TestWriteAndRead(t *testing.T) {
	s := sweep(t)
	path := filepath.Join(t.TempDir(), sweepfile.Name)
	if err := s.Write(path); err != nil {
		t.Fatal(err)
	}
	again, err := sweepfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	b, err := again.JSON()
	if err != nil || !bytes.Equal(a, b) {
		t.Errorf("written again: %v\n%s\nwas\n%s", err, b, a)
	}
	if len(again.Points[0].Metrics()) != len(s.Points[0].Metrics()) {
		t.Errorf("%d figures, had %d", len(again.Points[0].Metrics()), len(s.Points[0].Metrics()))
	}
	if _, err := sweepfile.Read(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestHostileFiles(t *testing.T) {
	s := sweep(t)
	text, err := s.JSON()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"nothing":   {"", "not a sweep"},
		"a list":    {"[]", "not a sweep"},
		"a result":  {`{"schema":"plumbline.result","schema_version":1}`, `want "plumbline.serving" version 1 to 1`},
		"version 0": {`{"schema":"plumbline.serving"}`, "version 0"},
		"newer":     {`{"schema":"plumbline.serving","schema_version":2}`, "a newer harness"},
		"no server": {`{"schema":"plumbline.serving","schema_version":1,"points":[{"model":"resnet50"}]}`,
			`run of "resnet50"`},
		"a trial of -1": {strings.Replace(string(text), `"point": 2`, `"point": -1`, 1), "trial 0 is point -1 of 5"},
		"cut":           {string(text[:len(text)/2]), "not a sweep"},
		"a trial of 9":  {strings.Replace(string(text), `"point": 2`, `"point": 9`, 1), "trial 0 is point 9 of 5"},
		"negative n":    {strings.Replace(string(text), `"n": 20`, `"n": -20`, 1), "want a whole number from 0"},
		"many points": {`{"schema":"plumbline.serving","schema_version":1,"points":[` +
			strings.Repeat(`{"serving":{}},`, 10_000) + `{"serving":{}}]}`, "10001 points"},
	} {
		if _, err := sweepfile.Parse([]byte(c.text)); !errors.Is(err, sweepfile.ErrSchema) ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	// Earlier versions also wrote "unfinished" for complete sweeps.
	for text, ended := range map[string]string{
		strings.Replace(string(text), `"complete": true`, `"complete": true, "ended": "unfinished"`, 1):  "",
		strings.Replace(string(text), `"complete": true`, `"complete": false, "ended": "unfinished"`, 1): "unfinished",
	} {
		if again, err := sweepfile.Parse([]byte(text)); err != nil || again.Ended != ended {
			t.Errorf("complete %v is read as ended by %q, want %q", again.Complete, again.Ended, ended)
		}
	}
	// Conclusions in the file are recomputed.
	lie := strings.Replace(string(text), `"best": 2`, `"best": 77`, 1)
	if again, err := sweepfile.Parse([]byte(lie)); err != nil || *again.Best != 2 {
		t.Errorf("a best point of 77 is read as %v, %v", again, err)
	}
}

func TestCSV(t *testing.T) {
	s := sweep(t)
	s.Points = append(s.Points, record.Run{Serving: &record.Serving{Load: record.ServingLoad{By: arrival.Maximum}}})
	s.Points[0].Serving.Asked.Seed = math.MaxUint64
	s.Points[1].Serving.Figures.PromptTokens = 77
	var b bytes.Buffer
	if err := s.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	const head = "kind,value,requests_per_s,tokens_per_s,tokens_per_s_per_gpu,ttft_p50_ms,ttft_p90_ms,ttft_p99_ms," +
		"tpot_p50_ms,tpot_p90_ms,tpot_p99_ms,e2e_p50_ms,e2e_p90_ms,e2e_p99_ms,user,goodput_per_s,attainment,failed," +
		"concurrency,requests,answered,prompt_tokens_per_s,total_tokens_per_s," +
		"power_w,energy_per_token_j,energy_per_request_j,seed,flags"
	if lines[0] != head {
		t.Errorf("columns %s, want %s", lines[0], head)
	}
	if want := "users,1,50,550,,10,10,10,1,1,1,20,20,20,1000,50,1,0,1,20,20,,,,,,18446744073709551615,"; lines[1] != want {
		t.Errorf("%s, want %s", lines[1], want)
	}
	rows, err := sweepfile.ReadCSV(&b)
	if err != nil || len(rows) != 6 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for i := range s.Points {
		want := sweepfile.RowOf(&s.Points[i])
		if rows[i].Seed == nil || *rows[i].Seed != *want.Seed {
			t.Errorf("row %d has the seed %v, want %d", i, rows[i].Seed, *want.Seed)
		}
		if rows[i].Kind != want.Kind || !same(rows[i].Value, want.Value) || len(rows[i].Figures) != len(want.Figures) {
			t.Errorf("row %d is %+v, want %+v", i, rows[i], want)
		}
		for name, v := range want.Figures {
			if !same(rows[i].Figures[name], v) {
				t.Errorf("row %d: %s is %v, want %v", i, name, rows[i].Figures[name], v)
			}
		}
	}
	in, out, total := rows[1].Figures["prompt_tokens_per_s"], rows[1].Figures["tokens_per_s"],
		rows[1].Figures["total_tokens_per_s"]
	if !(in > 0 && out > 0) || total != in+out {
		t.Errorf("%v and %v tokens/s are %v in all", in, out, total)
	}
	if want := []string{record.ClientLimited, "misses, by far", "\"well\""}; !slices.Equal(rows[4].Flags, want) {
		t.Errorf("flags %q, want %q", rows[4].Flags, want)
	}
}

// TestEnergy checks that curve.csv contains the measurements of a meter or, without one, of the accelerators.
func TestEnergy(t *testing.T) {
	s := sweep(t)
	s.Points[0].Serving.Energy = &record.ServingEnergy{Watts: 700, PerToken: 2, PerRequest: 60}
	s.Points[1].Serving.Energy = &record.ServingEnergy{Watts: 1}
	s.Points[1].FromMeter("cmd", spl.Average{Watts: 1100, Samples: 9}, nil)
	s.Points[2].FromMeter("cmd", spl.Average{}, []string{"it ended"})
	for i, want := range [][3]float64{
		{700, 2, 60}, {1100, 1100 / *s.Points[1].Serving.Figures.TokensPerSec, 1100 /
			*s.Points[1].Serving.Figures.RequestsPerSec}, {math.NaN(), math.NaN(), math.NaN()},
	} {
		f := sweepfile.RowOf(&s.Points[i]).Figures
		for k, name := range []string{"power_w", "energy_per_token_j", "energy_per_request_j"} {
			if got := f[name]; !same(got, want[k]) && math.Abs(got/want[k]-1) > 1e-12 {
				t.Errorf("point %d: %s is %v, want %v", i, name, got, want[k])
			}
		}
	}
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

func TestHostileCSV(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "no line of columns",
		"value,kind\n":                  `the columns ["value" "kind"]`,
		"kind,value\nusers,many\n":      `line 2: value is "many"`,
		"kind,value\nusers,1\nusers\n":  "wrong number of fields",
		"kind,value,user\nusers,1,NaN":  `user is "NaN"`,
		"kind,value,seed\nusers,1,-1":   `seed is "-1", want a whole number`,
		"kind,value,seed\nusers,1,1.5":  `seed is "1.5", want a whole number`,
		"kind,value,seed\nusers,1,":     "",
		"kind,value,user\nusers,1,1e99": "",
		"kind,value,colour\nx,,red":     "",
		"kind,value\n\"users":           "quote",
	} {
		_, err := sweepfile.ReadCSV(strings.NewReader(text))
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	text, err := sweep(f).JSON()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"schema":"plumbline.serving","schema_version":1,"points":[{"serving":{"figures":{"ttft":{"n":1}}}}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := sweepfile.Parse(text)
		if err != nil {
			if !errors.Is(err, sweepfile.ErrSchema) {
				t.Errorf("%v is no fault of the file", err)
			}
			return
		}
		once, err := s.JSON()
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := s.WriteCSV(&b); err != nil {
			t.Fatal(err)
		}
		if _, err := sweepfile.ReadCSV(&b); err != nil {
			t.Errorf("curve.csv: %v", err)
		}
		again, err := sweepfile.Parse(once)
		if err != nil {
			t.Fatalf("%v of what was written\n%s", err, once)
		}
		var x, y any
		twice, err := again.JSON()
		if err != nil || json.Unmarshal(once, &x) != nil || json.Unmarshal(twice, &y) != nil || !reflect.DeepEqual(x, y) {
			t.Errorf("%v\n%s\nwritten again\n%s", err, once, twice)
		}
	})
}

func FuzzReadCSV(f *testing.F) {
	var b bytes.Buffer
	if err := sweep(f).WriteCSV(&b); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := sweepfile.ReadCSV(strings.NewReader(text))
		if err != nil && rows != nil {
			t.Errorf("%d rows with %v", len(rows), err)
		}
		for _, r := range rows {
			for name, v := range r.Figures {
				if math.IsInf(v, 0) {
					t.Errorf("%s is %v", name, v)
				}
			}
		}
	})
}
