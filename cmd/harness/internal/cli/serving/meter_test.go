package serving_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/power/spl"
	"github.com/plumbline-ml/plumbline/internal/record/series"
	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"
)

// TestMeter: a power meter of the user's beside each point: watts over time, energy of a token and of a request, in
// record, page, table and conditions.
func TestMeter(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true, First: 20e6, Step: 5e6})
	meter := []string{
		"--concurrency", "2,4", "--power", "cmd:while sleep 0.01; do echo 250; done", "--power-interval", "10ms",
	}
	s.Want(0, bench(s, url, meter...), "J/TOK")
	for _, r := range readSweep(t, "bench-1").Points {
		p, f := r.Power, r.Serving.Figures
		if p == nil || p.Fault != "" || p.Samples < 2 || p.Average.Value != 250 {
			t.Fatalf("%+v, notes %+v", p, r.Notes)
		}
		if got, want := float64(p.Token.Value), 250 / *f.TokensPerSec; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%g J for a token, want %g", got, want)
		}
		if got, want := float64(p.Energy.Value), 250e3 / *f.RequestsPerSec; math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%g mJ for a request, want %g", got, want)
		}
	}
	if text := file(t, filepath.Join("bench-1", "users-2", spl.FileName)); !strings.Contains(text, "Watts,250.000000") {
		t.Errorf("the readings are %.300s", text)
	}
	over, err := series.Read(filepath.Join("bench-1", "users-2"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range over.Collected {
		if line.Unit == "W" && (line.Title != "meter (cmd)" || line.V[0] != 250 || line.T[0] > over.Duration) {
			t.Errorf("%+v", line)
		}
	}
	page := file(t, filepath.Join("bench-1", "index.html"))
	for _, want := range []string{`id="run-1-told-power"`, "energy per token", "An informal measurement"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	s.Want(3, bench(s, url, append(meter, "--out", "limited", "--fail-if", "power.token > 1000 J", "--fail-if",
		"power.average > 200 W")...), "power.average")
	s.Want(0, s.Run("compare", "bench-1/users-2", "bench-1/users-2"), "power.token", "energy per token, J")
}

// TestMeterFails: a meter that does not read is found before the first point; one that stops reading takes its figures
// along, and leaves the point what it is.
func TestMeterFails(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true, First: 20e6})
	s.Want(2, bench(s, url, "--power", "watts"), "--power: found", "want rapl, cmd:COMMAND or file:SPL")
	s.Want(2, bench(s, url, "--power-interval", "1s"), "--power-interval is for --power")
	s.Want(2, bench(s, url, "--power", "cmd:exit 7"), "--power: measuring power by cmd exit 7")
	s.Want(0, bench(s, url, "--concurrency", "2", "--power", "cmd:echo 0; exec sleep 60"), "power was not measured")
	r := readSweep(t, "bench-1").Points[0]
	if r.Power == nil || r.Power.Fault == "" || r.Power.Average != nil || r.Verdict != "measured" {
		t.Errorf("%s: %+v", r.Verdict, r.Power)
	}
}
