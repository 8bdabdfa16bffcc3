package faults

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// campaign is a command that makes several runs, with a plugin that answers at once. In the arguments, DIR is a folder
// of the trial, with the files of prepared in it.
type campaign struct {
	name string
	args []string
	// anew are additional arguments that start it anew; nil: it resumes by itself.
	anew []string
	// after is a file that is written in the middle of it: an aimed kill waits for it.
	after string
}

// campaigns are killed in turn.
var campaigns = []campaign{
	{"audits", []string{"audit", "all", "honest", "--scenario", "SingleStream,Offline", "--out", "DIR/out"}, nil,
		"honest/SingleStream/TEST01/verify_accuracy.txt"},
	{"submission", []string{"submission", "run", "honest", "--rehearsal", "--smoke", "--scenario", "SingleStream,Offline",
		"--out", "DIR/out", "--workspace", "DIR/workspace", "--tree", "DIR/tree"}, nil,
		"honest/Offline/accuracy/accuracy.txt"},
	{"scenarios", []string{"run", "honest", "--mode", "submission", "--scenario", "SingleStream,Offline", "--out",
		"DIR/out"}, []string{"--force"}, "honest/SingleStream/accuracy/accuracy.txt"},
	{"rounds", []string{"run", "honest", "--scenario", "Offline", "--repeat", "3", "--out", "DIR/out"},
		[]string{"--force"}, "1/honest/Offline/accuracy/accuracy.txt"},
	{"suite", []string{"run", "DIR/suite.yaml", "--out", "DIR/out"}, nil,
		"honest/batch=1/honest/Offline/performance/run_1/mlperf_log_accuracy.json"},
	{"tasks", []string{"run", "DIR/tasks.yaml", "--out", "DIR/out"}, nil, "honest-throughput/batch=1/mlmark.json"},
	{"seeds", []string{"audit", "seeds", "honest", "--seeds", "1,2,3", "--scenario", "SingleStream,Offline", "--out",
		"DIR/out"}, nil, "honest/SingleStream/seeds/performance/run_1/mlperf_log_accuracy.json"},
	{"data", []string{"audit", "dataset", "honest", "--dataset", "DIR/data", "--scenario", "Offline", "--out", "DIR/out"},
		nil, "honest/Offline/dataset/performance/run_1/mlperf_log_accuracy.json"},
	{"tune", []string{"tune", "honest", "--scenario", "Offline,Server", "--try-batch", "1,2", "--try-sessions", "1",
		"--time", "5ms", "--set", "min_query_count=100", "--json", "--tuning", "DIR/profile.json"}, nil, "../profile.json"},
}

// fewCampaigns are the ones killed in make test: one for each way to keep a record.
var fewCampaigns = []string{"submission", "suite", "tune"}

// The files of campaigns.
const (
	campaignSuite = `
runs:
- {run: honest, scenario: Offline, mode: performance, matrix: {batch: [1, 2]}}
- {run: honest, scenario: "SingleStream,Offline", mode: submission}
`
	campaignTasks = `
runs:
- {run: honest, mlmark: throughput, iterations: 50, matrix: {batch: [1, 2]}}
- {run: honest, mlmark: latency, iterations: 50}
`
)

// prepared returns a folder with the files that the campaign needs.
func (c campaign) prepared(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	testfile.Write(t, filepath.Join(dir, "suite.yaml"), campaignSuite)
	testfile.Write(t, filepath.Join(dir, "tasks.yaml"), campaignTasks)
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	if c.name == "submission" {
		harness.Run(t, "submission", "init", "--workspace", filepath.Join(dir, "workspace"), "--submitter", "Toylab",
			"--system",
			"toy").WantCode(t, 0)
	}
	return dir
}

// scene prepares the command.
func (c campaign) scene(t *testing.T, dir, id string, further ...string) *scene {
	t.Helper()
	plugins := built.Cheater()
	args := []string{"--plugin", filepath.Join(plugins, "plumbline-plugin-cheater")}
	for _, a := range slices.Concat(c.args, further) {
		args = append(args, strings.ReplaceAll(a, "DIR", dir))
	}
	takes := "50us"
	if c.name == "tune" { // tune tries thousands
		takes = "0s"
	}
	return newScene(t, filepath.Join(dir, "out"), c.name+"-"+id, args, "PLUMBLINE_CHEATER_TAKES="+takes)
}

// campaignRecord is what result.json reports about the runs of a campaign.
type campaignRecord struct {
	ExitCode int `json:"exit_code"`
	Runs     []struct {
		Dir, Status, Verdict string
		TestVerdict          string `json:"test_verdict"`
		ExitCode             int    `json:"exit_code"`
		Files                []struct {
			Path string
			Size int64
		}
	}
}

// readRecord reads a campaign's result.json. It returns nil if there is none.
func readRecord(t *testing.T, out string) *campaignRecord {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(out, "result.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var r campaignRecord
	if err := errors.Join(err, json.Unmarshal(text, &r)); err != nil {
		t.Fatal(err)
	}
	return &r
}

// dirs returns the folders of the runs, and of those that were not made or not judged.
func (r *campaignRecord) dirs() (all, open []string) {
	for _, run := range r.Runs {
		all = append(all, run.Dir)
		if run.Status != "complete" || run.TestVerdict == "not judged" {
			open = append(open, run.Dir)
		}
	}
	slices.Sort(all)
	return all, open
}

// wholeCampaign describes an undisturbed campaign: what its record lists, and how long it takes.
func (c campaign) whole(t *testing.T) (listed []string, took time.Duration) {
	t.Helper()
	dir := c.prepared(t)
	s := c.scene(t, dir, "whole")
	began := time.Now()
	s.start(t)
	c.wantWhole(t, s, dir, nil)
	if took = time.Since(began); t.Failed() {
		t.FailNow()
	}
	if r := readRecord(t, s.out); r != nil {
		listed, _ = r.dirs()
	}
	return listed, took
}

// wantWhole waits for the end of an undisturbed campaign, and expects it to have made all runs.
func (c campaign) wantWhole(t *testing.T, s *scene, dir string, listed []string) {
	t.Helper()
	code := s.wait(t)
	if code != 0 && code != 3 {
		t.Errorf("%s: exit code %d; it printed:\n%s", c.name, code, s.printed.String())
	}
	s.wantNothingLeft(t, false)
	if c.name == "tune" {
		return
	}
	s.readLogs(t, false)
	r := readRecord(t, s.out)
	if r == nil {
		t.Fatalf("%s: there is no result.json", c.name)
	}
	all, open := r.dirs()
	if r.ExitCode != code || len(open) > 0 || listed != nil && !slices.Equal(all, listed) {
		t.Errorf("%s: exit code %d, result.json says %d and lists %q, want %q; not made are %q", c.name, code, r.ExitCode,
			all, listed, open)
	}
	r.wantFiles(t, s.out)
	if c.name == "submission" {
		testfile.RequireText(t, "", dir, "tree", "closed", "Toylab", "results", "toy", "resnet", "Offline", "TEST04",
			"verify_performance.txt")
	}
}

// wantFiles expects the files that records of complete runs name.
func (r *campaignRecord) wantFiles(t *testing.T, out string) {
	t.Helper()
	for _, run := range r.Runs {
		for _, f := range run.Files {
			info, err := os.Stat(filepath.Join(out, filepath.FromSlash(f.Path)))
			if run.Status == "complete" && (err != nil || info.Size() != f.Size) {
				t.Errorf("%s of a run that is complete: %v, want %d bytes", f.Path, err, f.Size)
			}
		}
	}
}

// campaignKill is one trial: a campaign whose harness is hit at some moment.
type campaignKill struct {
	campaign
	seed   uint64
	signal syscall.Signal
	at     time.Duration // after the start; if aimed, after the file exists
	aimed  bool
	listed []string
}

func (k campaignKill) String() string {
	if k.aimed {
		return fmt.Sprintf("%s hit by %v once there is %s", k.name, k.signal, k.after)
	}
	return fmt.Sprintf("seed %d: %s hit by %v after %v", k.seed, k.name, k.signal, k.at)
}

// TestKillsOfCampaigns hits the harness in commands that make several runs: just as a run ends, and, with
// PLUMBLINE_KILLS=300 in the environment, at that many random moments of each command. An interrupt ends it with 130
// unless nothing is left to make. Its record lists every run that was not made, and only existing runs as made. The
// files that SIGKILL leaves are valid as far as they go. The same command makes the rest.
//
// A failure names its seed: PLUMBLINE_KILL_SEED=N PLUMBLINE_KILLS=1 repeats the moment, as far as the machine allows.
func TestKillsOfCampaigns(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by their environment, in the proc file system")
	}
	t.Parallel()
	count, seed := setting(t, killsEnv, 0), setting(t, killSeedEnv, time.Now().UnixNano()%1_000_000_007)
	for _, c := range campaigns {
		t.Run(c.name, func(t *testing.T) {
			if count == 0 && !slices.Contains(fewCampaigns, c.name) {
				slow.Skip(t)
			}
			t.Parallel()
			listed, took := c.whole(t)
			ends := newTally()
			t.Run("group", func(t *testing.T) {
				for i, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGKILL} {
					if count > 0 {
						break
					}
					k := campaignKill{campaign: c, seed: uint64(i), signal: signal, aimed: true, listed: listed}
					t.Run(signal.String(), k.run(ends))
				}
				for n := range uint64(count) {
					k := newCampaignKill(c, uint64(seed)+n, took)
					k.listed = listed
					t.Run(fmt.Sprint(n), k.run(ends))
				}
			})
			t.Logf("%s, %v: %d kills from seed %d:\n%v", c.name, took, count, seed, ends)
		})
	}
}

// newCampaignKill draws the trial of a seed: a moment during a campaign of this duration, or shortly after it.
func newCampaignKill(c campaign, seed uint64, took time.Duration) campaignKill {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], c.name)
	draw := rand.New(rand.NewChaCha8(key))
	signals := [...]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}
	return campaignKill{
		campaign: c, seed: seed, signal: signals[draw.IntN(len(signals))],
		at: time.Duration(draw.Int64N(int64(took + took/10))),
	}
}

// againEvery: each how many-th interrupted campaign is repeated. A killed one always is.
const againEvery = 3

// run makes the trial.
func (k campaignKill) run(ends *tally) func(t *testing.T) {
	return func(t *testing.T) {
		t.Parallel()
		dir := k.prepared(t)
		s := k.scene(t, dir, fmt.Sprint(k.seed))
		s.start(t)
		k.await(t, s)
		_ = s.cmd.Process.Signal(k.signal) // it may have ended
		code := s.wait(t)
		s.wantNothingLeft(t, k.signal == syscall.SIGKILL)
		end := k.judge(t, s, code)
		ends.note(fmt.Sprintf("%-10v %s", k.signal, end))
		if !t.Failed() && (k.signal == syscall.SIGKILL || k.seed%againEvery == 0) {
			again := k.scene(t, dir, fmt.Sprintf("%d-again", k.seed), k.anew...)
			again.start(t)
			k.wantWhole(t, again, dir, k.listed)
		}
		if t.Failed() {
			t.Logf("%v: exit code %d; it printed:\n%s", k, code, s.printed.String())
		}
	}
}

// await waits for the moment.
func (k campaignKill) await(t *testing.T, s *scene) {
	if !k.aimed {
		time.Sleep(k.at)
		return
	}
	file := filepath.Join(s.out, filepath.FromSlash(k.after))
	for {
		if _, err := os.Stat(file); err == nil {
			return
		}
		select {
		case <-s.ended:
			t.Errorf("it ended without %s", k.after)
			return
		case <-time.After(200 * time.Microsecond):
		}
	}
}

// judge checks what remains of a campaign that was hit, and returns how it ended.
func (k campaignKill) judge(t *testing.T, s *scene, code int) (end string) {
	t.Helper()
	if strings.Contains(s.printed.String(), "goroutine ") {
		t.Error("a stack trace reached the user")
	}
	interrupted := code == 130 || code == killed && (k.signal == syscall.SIGKILL || s.printed.Len() == 0)
	if !interrupted && code != 0 && code != 3 {
		t.Errorf("exit code %d", code)
	}
	if k.name == "tune" {
		return k.judgeTuned(t, s, code)
	}
	s.readLogs(t, k.signal == syscall.SIGKILL)
	r := readRecord(t, s.out)
	if r == nil {
		if !interrupted {
			t.Errorf("exit code %d, and there is no record", code)
		}
		return "before it began"
	}
	r.wantFiles(t, s.out)
	all, open := r.dirs()
	if missing := without(k.listed, all); len(missing) > 0 {
		t.Errorf("result.json does not list %q", missing)
	}
	if n := len(open) + measuredTasks(s.out); k.name == "tasks" && n < taskCount {
		t.Errorf("%d tasks are listed or measured, want %d", n, taskCount)
	}
	if len(open) > 0 && (!interrupted || r.ExitCode != 130) {
		t.Errorf("exit code %d, result.json says %d; not made are %q", code, r.ExitCode, open)
	}
	if !interrupted && r.ExitCode != code {
		t.Errorf("exit code %d, result.json says %d", code, r.ExitCode)
	}
	switch {
	case !interrupted:
		return "it was over"
	case len(open) == 0:
		return "all runs were made"
	}
	return "runs are left"
}

// taskCount is the number of tasks in campaignTasks.
const taskCount = 3

// measuredTasks counts the measured tasks: they have files of their own, and are no longer listed.
func measuredTasks(out string) int {
	var all []string
	for _, pattern := range []string{"*/mlmark.json", "*/*/mlmark.json"} {
		found, _ := filepath.Glob(filepath.Join(out, pattern)) // the pattern is valid
		all = append(all, found...)
	}
	return len(all)
}

// judgeTuned checks the profile, and the output for programs.
func (k campaignKill) judgeTuned(t *testing.T, s *scene, code int) string {
	t.Helper()
	profile := filepath.Join(filepath.Dir(s.out), "profile.json")
	if text, err := os.ReadFile(profile); err == nil && !json.Valid(text) {
		t.Errorf("the profile is cut:\n%s", text)
	}
	if left, err := filepath.Glob(profile + ".*"); err != nil || len(left) > 0 && k.signal != syscall.SIGKILL {
		t.Errorf("%v; %q is left", err, left)
	}
	text := s.printed.String()
	at := strings.Index(text, "{\n")
	if at < 0 {
		return "before it began"
	}
	var found struct{ Complete bool }
	if err := json.NewDecoder(strings.NewReader(text[at:])).Decode(&found); err != nil || found.Complete == (code == 130) {
		t.Errorf("exit code %d, and it says that the search is complete: %v (%v)", code, found.Complete, err)
	}
	if found.Complete {
		return "it was over"
	}
	return "the search was cut"
}

// without returns the texts of a list that another one lacks.
func without(list, have []string) (missing []string) {
	for _, text := range list {
		if !slices.Contains(have, text) {
			missing = append(missing, text)
		}
	}
	return missing
}
