package serving_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/openaitest"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

// readSuite is the record of the suite.
func readSuite(t *testing.T) (d record.Document) {
	t.Helper()
	if err := json.Unmarshal([]byte(file(t, filepath.Join("mix", record.FileName))), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

// said are the folders, states and names of a suite's records.
func said(d record.Document) string {
	var all []string
	for _, r := range d.Runs {
		all = append(all, fmt.Sprintf("%s %s %s", r.Dir, r.Status, strings.Join(r.Identity.Point, ",")))
	}
	return strings.Join(all, "\n")
}

const quickly = "defaults: {isl: 8, osl: 4, requests: 20, warmup: 2, window: all}\n"

// TestSuiteOfServers: a suite measures servers as harness bench does, goes on where Ctrl-C ended it, measures nothing
// twice, and is compared point by point.
func TestSuiteOfServers(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	first := int64(1 + 2 + 20) // the one that is tried, the warm-up and the requests of the first point
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true, Fault: func(n int64) openaitest.Fault {
		if n == first+9 {
			s.Signals <- syscall.SIGINT
			return openaitest.Fault{Stall: true}
		}
		return openaitest.Fault{}
	}})
	write(t, "mix.yaml", quickly+"runs:\n- {bench: "+url+", name: users, concurrency: '1,2', label: lab}\n"+
		"- {bench: "+url+", name: rates, matrix: {rate: [100, 200]}, slo: 'p99 ttft < 20s', repeat: 2}\n")
	s.Want(0, s.Run("run", "mix.yaml", "--dry-run"), "1 user, 20 requests", "rates rate=200 (2 of 2)", "200 requests/s")
	if _, err := os.Stat("mix"); err == nil {
		t.Error("a dry run leaves a folder")
	}
	s.Want(130, s.Run("run", "mix.yaml", "--quiet"), "4 of 6 runs not made", "not made: interrupted", "lab: users users=1")
	want := "users/users-1 complete users=1\nusers/users-2 interrupted users=2\n" +
		"rates/rate=100/1/rate-100 not run rate=100\nrates/rate=200/1/rate-200 not run rate=200\n" +
		"rates/rate=100/2/rate-100 not run rate=100\nrates/rate=200/2/rate-200 not run rate=200"
	if got := said(readSuite(t)); got != want {
		t.Errorf("records\n%s\nwant\n%s", got, want)
	}
	s.Want(0, s.Run("bench", "mix.yaml", "--quiet"), "mix/users: 1 point is there, and not measured again",
		"rates rate=100", "tokens/s")
	d := readSuite(t)
	if got := said(d); got != strings.NewReplacer("interrupted", "complete", "not run", "complete").Replace(want) ||
		d.Suite != "mix" || d.Runs[2].Verdict != "HOLDS" || d.Runs[0].Name() != "lab: users: mock serving users=1" {
		t.Errorf("records\n%s, %+v", got, d.Runs[0].Identity)
	}
	began := d.Runs[5].Started
	s.Want(0, s.Run("run", "mix.yaml", "--quiet", "--json"), `"suite": "mix"`)
	if d = readSuite(t); !d.Runs[5].Started.Equal(began) {
		t.Error("what is there was measured again")
	}
	if err := os.CopyFS("before", os.DirFS("mix")); err != nil {
		t.Fatal(err)
	}
	s.Want(0, s.Run("compare", "before", "mix"), "rates: mock serving rate=100: 2 runs against 2",
		"lab: users: mock serving users=2: 1 run against 1")
	s.Want(0, s.Run("report", "mix", "--html", "mix.html"))
	if page := file(t, "mix.html"); !strings.Contains(page, "Points of rates: rate=100 (1 of 2)") {
		t.Error("the page does not tell the sweeps apart by what the suite calls them")
	}
	s.Want(3, s.Run("run", "mix.yaml", "--quiet", "--fail-if", "ttft.p99 > 0ms"), "ttft.p99 > 0ms")
	write(t, "mix.yaml", quickly+"runs:\n- {bench: "+url+", name: users, concurrency: '1,2,4'}\n")
	s.Want(2, s.Run("run", "mix.yaml", "--quiet"), "it holds another measurement", "--force")
}

// TestSuiteOfServersFails: all faults of flags are told before anything is asked; a server that is not there keeps no
// other from being measured, and objectives that no point keeps are code 3.
func TestSuiteOfServersFails(t *testing.T) {
	s := clitest.New(t)
	t.Chdir(s.Dir)
	url := serve(t, openaitest.Options{Owner: "vllm", IDs: true})
	write(t, "wrong.yaml", "runs:\n- {bench: "+url+", islt: 8, out: x, name: a}\n"+
		"- {bench: "+url+", rate: 0, name: b}\n- {bench: "+url+", smoke: true, name: c}\n")
	s.Want(2, s.Run("run", "wrong.yaml"), `unknown flag of harness bench "islt"`, `did you mean "isl"`,
		"out: is given on the command line", `b: --rate: "0"`, `unknown flag of harness bench "smoke"`)
	write(t, "mix.yaml", quickly+"runs:\n- {bench: '127.0.0.1:1', name: gone, concurrency: 2}\n"+
		"- {bench: "+url+", name: slow, concurrency: 2, slo: 'p99 ttft < 1ns'}\n")
	s.Want(6, s.Run("run", "mix.yaml", "--quiet"), "gone: http://127.0.0.1:1/v1: nothing listens", "MISSES")
	d := readSuite(t)
	if got := said(d); got != "gone/users-2 not run users=2\nslow/users-2 complete users=2" || d.Runs[0].ExitCode != 6 ||
		d.Runs[1].ExitCode != 3 {
		t.Errorf("%s: %+v", got, d.Runs[0])
	}
	write(t, "mix.yaml", quickly+"runs:\n- {bench: "+url+", name: slow, concurrency: 2, slo: 'p99 ttft < 1ns'}\n")
	s.Want(3, s.Run("run", "mix.yaml", "--quiet"), "it is measured, and not measured again")
	s.Want(2, s.Run("bench", "mix.yaml", "--isl", "8"), "--isl: write it into the suite")
	s.Want(2, s.Run("submission", "run", "mix.yaml", "--system-type", "edge"), "a submission has no servers")
}
