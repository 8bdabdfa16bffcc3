package models

import (
	"bufio"
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/synthetic/citations"
)

// redis is a feature server.
type redis struct {
	address string
	ended   chan error
	process *os.Process
}

// startRedis starts the server that make test-extra OF=store names. It ends with the test.
func startRedis(t *testing.T) *redis {
	t.Helper()
	program := os.Getenv("PLUMBLINE_REDIS")
	if program == "" {
		t.Skip("PLUMBLINE_REDIS names no server: make test-extra OF=store REDIS=redis-server runs this")
	}
	for range 10 { // another process may take the port before the server does
		address := harness.FreeAddress(t)
		_, port, _ := net.SplitHostPort(address)
		cmd := exec.Command(program, "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no")
		cmd.Dir = t.TempDir()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		r := &redis{address, make(chan error, 1), cmd.Process}
		go func() { r.ended <- cmd.Wait() }()
		if r.awaitAnswer(t) {
			t.Cleanup(func() { r.end(t) })
			return r
		}
	}
	t.Fatalf("%s does not start", program)
	return nil
}

// awaitAnswer waits until the server answers or has ended.
func (r *redis) awaitAnswer(t *testing.T) bool {
	t.Helper()
	for deadline := time.Now().Add(harness.Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		select {
		case <-r.ended:
			return false
		default:
		}
		if answer, err := r.ask("PING"); err == nil && strings.HasPrefix(answer, "+PONG") {
			return true
		}
	}
	t.Fatal("the server answers nothing")
	return false
}

// ask returns the first 64 KB of the answer to an inline command.
func (r *redis) ask(command string) (string, error) {
	c, err := net.DialTimeout("tcp", r.address, harness.Patience)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := fmt.Fprintf(c, "%s\r\nQUIT\r\n", command); err != nil {
		return "", err
	}
	var all strings.Builder
	_, err = bufio.NewReaderSize(c, 64<<10).WriteTo(&all)
	return all.String(), err
}

// end kills the server and waits for it. It may be called repeatedly.
func (r *redis) end(t *testing.T) {
	t.Helper()
	_ = r.process.Kill()
	select {
	case err := <-r.ended:
		r.ended <- err
	case <-time.After(harness.Patience):
		t.Error("the server does not end")
	}
}

// awaitReads waits until features are read from the server.
func (r *redis) awaitReads(t *testing.T) {
	t.Helper()
	if _, err := r.ask("CONFIG RESETSTAT"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(harness.Patience); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if stats, err := r.ask("INFO commandstats"); err == nil && strings.Contains(stats, "cmdstat_getrange") {
			return
		}
	}
	t.Error("nothing is read from the server")
}

// TestStore runs rgat on a machine without features: they are on two servers.
func TestStore(t *testing.T) {
	a, b, dir := startRedis(t), startRedis(t), t.TempDir()
	data, _ := graphData(t)
	at := filepath.Join(dir, "at")
	run := func(out string, args ...string) harness.Result {
		return harness.Run(t, append([]string{"run", "rgat", "--model", "embedded-fp32", "--dataset", data, "--scenario",
			"Offline", "--out", filepath.Join(dir, out)}, args...)...)
	}
	run("files", "--mode", "accuracy").WantCode(t, 0)
	harness.Run(t, "dataset", "convert", "rgat", "store", data, at, "--param", "servers=redis://"+a.address+",redis://"+
		b.address).WantCode(t, 0).WantOutput(t, "the features of 7016 nodes, 0.9 MB, are at 2 servers")
	removeFeatures(t, data)
	run("none").WantCode(t, 6)
	run("store", "--param", "features="+at).WantCode(t, 0).WantOutput(t, "VALID (smoke)")
	log := filepath.Join("rgat", "Offline", "accuracy", "mlperf_log_accuracy.json")
	want, got := results.LoggedClasses(t, filepath.Join(dir, "files", log)), results.LoggedClasses(t, filepath.Join(dir,
		"store", log))
	if len(want) != citations.EvalCount || !maps.Equal(got, want) {
		t.Errorf("the classes of %d papers differ from those of %d with features in files", len(got), len(want))
	}
	ended := make(chan harness.Result)
	go func() {
		ended <- run("lost", "--param", "features="+at, "--set", "min_duration=600000",
			"--set", "target_qps=10000")
	}()
	b.awaitReads(t)
	b.end(t)
	wantLost(t, (<-ended).WantCode(t, 5), b)
	wantLost(t, run("gone", "--param", "features="+at).WantCode(t, 6), b)
}

// removeFeatures keeps only edges, labels and samples.
func removeFeatures(t *testing.T, data string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "*", "processed", "*", "node_feat.npy"))
	if err != nil || len(files) != 6 {
		t.Fatalf("%v, files of features: %q", err, files)
	}
	for _, file := range files {
		if err := os.Remove(file); err != nil {
			t.Error(err)
		}
	}
}

// wantLost expects the name of the server that is gone.
func wantLost(t *testing.T, r harness.Result, server *redis) {
	t.Helper()
	if !strings.Contains(r.Both(), "features at servers: server "+server.address) {
		t.Errorf("the server is not named:\n%s", r.Both())
	}
}
