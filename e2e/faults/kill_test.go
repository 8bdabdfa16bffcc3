package faults

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/slow"
)

// The environment variables of TestKills.
const (
	killsEnv    = "PLUMBLINE_KILLS"     // number of kills; default fewKills, or allKills in make test-all
	killSeedEnv = "PLUMBLINE_KILL_SEED" // the first kill's seed; default: random
)

const (
	fewKills = int64(len(victims)) // each once
	allKills = 20
	// maxRun is about the duration of a run: kills come at any moment of it, and some too late.
	maxRun = 1800 * time.Millisecond
	// realEvery: each how many-th benchmark is a real one.
	realEvery = 5
)

// victim describes which process a kill hits, and how.
type victim struct {
	who    string // "plugin", "harness" or "backend"
	signal syscall.Signal
	code   int // exit code of the harness, if its run was not over
}

// victims are hit in turn.
var victims = [...]victim{
	{"plugin", syscall.SIGKILL, 5},
	{"harness", syscall.SIGKILL, killed},
	{"harness", syscall.SIGINT, 130},
	{"backend", syscall.SIGKILL, 5},
	{"harness", syscall.SIGTERM, 130},
	{"plugin", syscall.SIGSTOP, 5},
}

// killed is the exit code of a process that a signal ended.
const killed = -1

// kill is one trial: a run of the harness in which a process is hit at some moment.
type kill struct {
	victim
	seed     uint64
	scenario string
	model    string
	at       time.Duration // after the start
}

func (k kill) String() string {
	return fmt.Sprintf("seed %d: %s of %s hit by %v after %v", k.seed, k.scenario, k.model, k.signal, k.at)
}

// newKill draws the trial of a seed. Consecutive seeds hit the victims in turn.
func newKill(seed uint64) kill {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	draw := rand.New(rand.NewChaCha8(key))
	scenarios := [...]string{"SingleStream", "MultiStream", "Server", "Offline"}
	k := kill{victim: victims[seed%uint64(len(victims))], seed: seed, model: "faulty"}
	k.scenario = scenarios[draw.IntN(len(scenarios))]
	k.at = time.Duration(draw.Int64N(int64(maxRun)))
	if seed%realEvery == realEvery-1 && k.who != "backend" {
		k.model = "resnet50"
	}
	return k
}

// TestKills runs a benchmark, performance and accuracy, and kills the harness, the plugin or the process of its backend
// at any moment. In each case no process and no file remains, the logs contain the answers, and the exit code is
// correct.
//
// PLUMBLINE_KILLS=200 makes that many kills. A failure names its seed: PLUMBLINE_KILL_SEED=N PLUMBLINE_KILLS=1 repeats
// the moment.
func TestKills(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("processes are found by their environment, in the proc file system")
	}
	kills := fewKills
	if slow.All() {
		kills = allKills
	}
	count, seed := setting(t, killsEnv, kills), setting(t, killSeedEnv, time.Now().UnixNano()%1_000_000_007)
	ends := newTally()
	t.Run("group", func(t *testing.T) {
		for n := range int(count) {
			k := newKill(uint64(seed) + uint64(n))
			t.Run(fmt.Sprint(n), func(t *testing.T) {
				t.Parallel()
				ends.add(k, k.try(t))
			})
		}
	})
	t.Logf("%d kills from seed %d:\n%v", count, seed, ends)
}

// setting reads a number from the environment.
func setting(t *testing.T, name string, otherwise int64) int64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		t.Fatalf("%s=%q, want a number", name, text)
	}
	return n
}

// try makes one trial and returns how it ended.
func (k kill) try(t *testing.T) string {
	s := k.start(t)
	time.Sleep(k.at)
	hit := k.hit(s)
	code := s.wait(t)
	t.Logf("%v: hit %v, exit code %d", k, hit, code)
	s.wantNothingLeft(t, k.code == killed)
	left := s.readLogs(t, k.code == killed)
	end := k.judge(t, s, left, code)
	if t.Failed() {
		t.Logf("%v; it printed:\n%s", k, s.printed.String())
	}
	return end
}

// scene is a run in progress.
type scene struct {
	cmd     *exec.Cmd
	mark    string // NAME=VALUE in the environment of each of its processes
	tmp     string // its temporary directory
	out     string
	model   string
	witness string // file of the indices that the plugin has received; empty: the plugin writes none
	printed strings.Builder
	ended   chan struct{}
}

// start starts the harness.
func (k kill) start(t *testing.T) *scene {
	out := filepath.Join(t.TempDir(), "out")
	env := []string{"PLUMBLINE_FAULT=paced"}
	witness := ""
	if k.model == "faulty" {
		witness = filepath.Join(t.TempDir(), "witness")
		env = append(env, "PLUMBLINE_WITNESS="+witness)
	}
	s := newScene(t, out, fmt.Sprint(k.seed), k.arguments(out), env...)
	s.model, s.witness = k.model, witness
	s.start(t)
	return s
}

// newScene prepares a command of the harness that writes to out. id distinguishes it from others of this process.
func newScene(t *testing.T, out, id string, args []string, env ...string) *scene {
	tmp, err := os.MkdirTemp("/tmp", "kill-") // a short path, because it contains sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(tmp) })
	s := &scene{
		mark: fmt.Sprintf("PLUMBLINE_TEST_KILL=%d-%s", os.Getpid(), id), tmp: tmp, out: out, ended: make(chan struct{}),
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*harness.Patience)
	t.Cleanup(cancel)
	s.cmd = exec.CommandContext(ctx, built.Harness(), args...)
	s.cmd.Dir = t.TempDir()
	s.cmd.Env = slices.Concat(os.Environ(), []string{s.mark, "TMPDIR=" + tmp}, env)
	s.cmd.Stdout, s.cmd.Stderr = &s.printed, &s.printed
	s.cmd.WaitDelay = 10 * time.Second
	return s
}

// start starts the command.
func (s *scene) start(t *testing.T) {
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = s.cmd.Wait(); close(s.ended) }()
}

// arguments returns the arguments of a run that takes a second or two on an idle machine.
func (k kill) arguments(out string) []string {
	plugin := filepath.Join(built.Dir(), "faulty", "plumbline-plugin-faulty")
	args := []string{
		"run", k.model, "--mode", "submission", "--scenario", k.scenario, "--out", out, "--quiet",
		"--set", "min_duration=400", "--set", map[string]string{
			"SingleStream": "target_latency=1", "MultiStream": "target_latency=1", "Server": "target_latency=1000",
			"Offline": "target_qps=2000",
		}[k.scenario],
	}
	if k.signal == syscall.SIGSTOP {
		args = append(args, "--heartbeat-timeout", faulty.Silence)
	}
	if k.scenario == "Server" {
		args = append(args, "--set", "target_qps=500")
	}
	if k.model != "faulty" {
		return append(args, "--count", "200", "--plugin", k.model)
	}
	args = append(args, "--batch", "8", "--plugin", plugin, "--count", map[string]string{
		"SingleStream": "1000", "MultiStream": "4000", "Server": "400", "Offline": "6000",
	}[k.scenario])
	if k.who == "backend" {
		args = append(args, "--backend", "process", "--backend-opt", "command='"+plugin+"' backend")
	}
	return args
}

// hit sends the signal, and reports whether the process existed.
func (k kill) hit(s *scene) bool {
	for {
		pid := s.find(k.who)
		if pid != 0 && syscall.Kill(pid, k.signal) == nil {
			return true
		}
		select {
		case <-s.ended:
			return false
		case <-time.After(time.Millisecond):
		}
	}
}

// find returns the process id of one of the scene's processes, or 0 if there is none now.
func (s *scene) find(who string) int {
	if who == "harness" {
		select {
		case <-s.ended:
			return 0
		default:
			return s.cmd.Process.Pid
		}
	}
	for _, p := range marked(s.mark) {
		backend := len(p.args) == 2 && p.args[1] == "backend"
		if strings.Contains(filepath.Base(p.args[0]), "plumbline-plugin-") && backend == (who == "backend") {
			return p.pid
		}
	}
	return 0
}

// wait waits for the end of the harness. If it does not end, the test fails.
func (s *scene) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-s.ended:
	case <-time.After(harness.Patience):
		_ = s.cmd.Process.Signal(syscall.SIGQUIT)
		<-s.ended
		t.Fatalf("the harness does not end; it printed:\n%s", s.printed.String())
	}
	return s.cmd.ProcessState.ExitCode()
}
