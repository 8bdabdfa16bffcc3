package serving

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// joined is the part of a sweep.json about the joined shares.
type joined struct {
	Complete bool
	Label    string
	Shares   *struct {
		Of []struct {
			Index, Of  int
			Clock, Dir string
		}
		Apart int64  `json:"began_apart_ns"`
		Doubt *int64 `json:"clocks_apart_ns"`
	}
	Points []struct {
		Serving struct {
			Figures struct{ Requests, OK int }
		}
	}
}

// wantJoined fails the test unless a folder contains the given number of shares and requests, all answered, as one
// measurement.
func wantJoined(t *testing.T, dir string, shares, requests int) joined {
	t.Helper()
	var doc joined
	testfile.ReadJSON(t, filepath.Join(dir, "sweep.json"), &doc)
	if !doc.Complete || doc.Shares == nil || len(doc.Shares.Of) != shares || len(doc.Points) != 1 ||
		doc.Points[0].Serving.Figures.Requests != requests || doc.Points[0].Serving.Figures.OK != requests {
		t.Fatalf("%s: %+v, want %d shares with %d requests", dir, doc, shares, requests)
	}
	for i, share := range doc.Shares.Of {
		if share.Index != i || share.Of != shares {
			t.Errorf("share %d is %+v", i, share)
		}
	}
	return doc
}

// inTime calls a function that begins after the given number of seconds, and repeats it with more if its start passed
// before all were ready, as on a busy machine. It returns the printed output.
func inTime(t *testing.T, do func(lead int) harness.Result) {
	t.Helper()
	for lead := 8; ; lead *= 2 {
		r := do(lead)
		if r.Code == 0 {
			return
		}
		if !strings.Contains(r.Both(), "--start-at") || lead > 1000 {
			t.Fatalf("exit code %d:\n%s", r.Code, r.Both())
		}
	}
}

// sharedLoad is a short load of which every request counts.
var sharedLoad = []string{
	"--isl", "8", "--osl", "4", "--vocabulary", "1000..31999", "--concurrency", "8", "--requests", "80", "--window", "all",
	"--slo", "p99 ttft < 1000s", "--label", "it's mine",
}

// TestSharesBetweenNamespaces: four clients in separate network namespaces send one load to a server in a fifth.
func TestSharesBetweenNamespaces(t *testing.T) {
	hub, nodes := namespaces(t, 4)
	const address = "10.88.0.1"
	ip := func(args ...string) {
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			t.Fatalf("ip %v: %v\n%s", args, err, out)
		}
	}
	ip("-n", hub[3], "addr", "add", address+"/32", "dev", "lo")
	for i, node := range nodes {
		ip("-n", node[3], "route", "add", address, "via", fmt.Sprintf("10.77.%d.1", i))
	}
	url := strings.TrimSuffix(harness.StartMock(t, harness.MockOpenAI, hub, "-listen", address+":8001"), "/v1")
	var dir string
	inTime(t, func(lead int) harness.Result {
		dir = t.TempDir()
		start := fmt.Sprint(time.Now().Unix() + int64(lead))
		results := make([]harness.Result, len(nodes))
		var group sync.WaitGroup
		for i, node := range nodes {
			args := append(append(slices.Clone(node[1:]), built.Harness(), "bench", url, "--quiet", "--shard",
				fmt.Sprintf("%d/%d", i, len(nodes)), "--start-at", start, "--out", filepath.Join(dir, fmt.Sprint("share-", i))),
				sharedLoad...)
			group.Go(func() { results[i] = harness.Finish(t, harness.Command(t, node[0], args...)) })
		}
		group.Wait()
		for _, r := range results {
			if r.Code != 0 {
				return r
			}
		}
		return results[0]
	})
	out := filepath.Join(t.TempDir(), "merged")
	shares, err := filepath.Glob(filepath.Join(dir, "share-*"))
	if err != nil {
		t.Fatal(err)
	}
	harness.Run(t, append([]string{"bench", "merge", "--out", out}, shares...)...).WantCode(t, 0)
	doc := wantJoined(t, out, len(nodes), 80)
	if doc.Shares.Doubt == nil || *doc.Shares.Doubt != 0 { // all namespaces share the machine's clock
		t.Errorf("the clocks may be %v apart, want 0", doc.Shares.Doubt)
	}
	harness.Run(t, append([]string{"bench", "merge"}, shares[1:]...)...).WantCode(t, 6).WantError(t, "missing: 0/4")
}

// program writes a shell script to a folder as a program with that name.
func program(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// launched runs one of examples/several-machines with a load, with the programs in a folder in place of the launcher's.
func launched(t *testing.T, dir, programs, script, url string, env ...string) harness.Result {
	t.Helper()
	cmd := harness.Command(t, filepath.Join(built.Root(), "examples", "several-machines", script), append([]string{url},
		sharedLoad...)...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PATH="+programs+":"+built.Dir()+":"+os.Getenv("PATH")), env...)
	return harness.Finish(t, cmd)
}

// TestSharesByLaunchers runs the examples unchanged, with stand-ins that start the tasks of srun and the commands of
// ssh on this machine.
func TestSharesByLaunchers(t *testing.T) {
	t.Parallel()
	url := strings.TrimSuffix(harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0"), "/v1")
	t.Run("slurm", func(t *testing.T) {
		programs, dir := t.TempDir(), t.TempDir()
		program(t, programs, "srun", `pids=
for i in 0 1 2; do
  SLURM_PROCID=$i "$@" & pids="$pids $!"
done
worst=0
for pid in $pids; do
  wait "$pid" || worst=$?
done
exit "$worst"
`)
		var job string
		inTime(t, func(lead int) harness.Result {
			job = fmt.Sprint(lead)
			return launched(t, dir, programs, "slurm.sh", url, "SLURM_NTASKS=3", "SLURM_JOB_ID="+job, "LEAD="+job)
		})
		if doc := wantJoined(t, filepath.Join(dir, "bench-"+job, "merged"), 3, 80); doc.Label != "it's mine" {
			t.Errorf("the label is %q", doc.Label)
		}
	})
	t.Run("ssh", func(t *testing.T) {
		programs, homes, dir := t.TempDir(), t.TempDir(), t.TempDir()
		program(t, programs, "ssh", `mkdir -p "$HOMES/$1" && cd "$HOMES/$1" && shift && exec sh -c "$*"`+"\n")
		inTime(t, func(lead int) harness.Result {
			return launched(t, dir, programs, "ssh.sh", url, "HOSTS=a b c", "HOMES="+homes, fmt.Sprint("LEAD=", lead))
		})
		found, err := filepath.Glob(filepath.Join(dir, "bench-*", "merged"))
		if err != nil || len(found) != 1 {
			t.Fatalf("%v, %v", found, err)
		}
		if doc := wantJoined(t, found[0], 3, 80); doc.Label != "it's mine" {
			t.Errorf("the label is %q", doc.Label)
		}
	})
	t.Run("kubernetes", func(t *testing.T) { sharesOfKubernetes(t, url) })
}

// sharesOfKubernetes runs the command of each pod of the Job, with its index and a folder for the claim, as Kubernetes
// sets them.
func sharesOfKubernetes(t *testing.T, url string) {
	t.Helper()
	var job struct {
		Kind string
		Spec struct {
			CompletionMode           string `yaml:"completionMode"`
			Completions, Parallelism int
			Template                 struct {
				Spec struct {
					Containers []struct {
						Command, Args []string
						VolumeMounts  []struct {
							MountPath string `yaml:"mountPath"`
						} `yaml:"volumeMounts"`
					}
				}
			}
		}
	}
	text := testfile.Read(t, filepath.Join(built.Root(), "examples", "several-machines", "kubernetes.yaml"))
	if err := yaml.Unmarshal([]byte(text), &job); err != nil {
		t.Fatal(err)
	}
	s := job.Spec
	if job.Kind != "Job" || s.CompletionMode != "Indexed" || s.Completions != s.Parallelism || s.Completions < 2 ||
		len(s.Template.Spec.Containers) != 1 {
		t.Fatalf("%+v", job)
	}
	container := s.Template.Spec.Containers[0]
	line := append(slices.Clone(container.Command), container.Args...)
	var dir string
	inTime(t, func(lead int) harness.Result {
		dir = t.TempDir()
		results := make([]harness.Result, s.Completions)
		var group sync.WaitGroup
		start := fmt.Sprint(time.Now().Unix() + int64(lead))
		for i := range results {
			put := strings.NewReplacer("$(JOB_COMPLETION_INDEX)", fmt.Sprint(i), "SECONDS", start, "http://SERVER:8000", url,
				container.VolumeMounts[0].MountPath, dir, "--requests=20000", "--requests=600", "--osl=128", "--osl=4")
			args := make([]string, 0, len(line))
			for _, word := range line[1:] {
				args = append(args, put.Replace(word))
			}
			group.Go(func() { results[i] = harness.Run(t, args...) })
		}
		group.Wait()
		for _, r := range results {
			if r.Code != 0 {
				return r
			}
		}
		return results[0]
	})
	shares, err := filepath.Glob(filepath.Join(dir, "share-*"))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "merged")
	harness.Run(t, append([]string{"bench", "merge", "--out", out}, shares...)...).WantCode(t, 0)
	wantJoined(t, out, s.Completions, 600)
}

// rayNodes starts a cluster of two nodes on loopback addresses of this machine, runs a script in it and ends it.
const rayNodes = `
import os
import subprocess
import sys
from ray.cluster_utils import Cluster
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
try:
    os.environ["RAY_ADDRESS"] = cluster.address
    code = subprocess.run([sys.executable, *sys.argv[1:]]).returncode
finally:
    cluster.shutdown()
sys.exit(code)
`

// TestSharesByRay sends a load from two nodes of Ray.
func TestSharesByRay(t *testing.T) {
	python := os.Getenv("PLUMBLINE_RAY_PYTHON")
	if out, err := exec.Command(python, "-c", "import ray").CombinedOutput(); err != nil {
		t.Skipf("PLUMBLINE_RAY_PYTHON=%s has no Ray: %s\n"+
			"Install ray and name it: make test-extra OF=shares RAY_PYTHON=PYTHON", python,
			lastLine(err.Error()+"\n"+string(out)))
	}
	url := strings.TrimSuffix(harness.StartMock(t, harness.MockOpenAI, nil, "-listen", "127.0.0.1:0"), "/v1")
	temporary, err := os.MkdirTemp("", "plumb") // a short path: socket paths have at most 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(temporary) })
	var out string
	inTime(t, func(lead int) harness.Result {
		out = filepath.Join(t.TempDir(), "out")
		cmd := harness.Command(t, python, append([]string{"-c", rayNodes, filepath.Join(built.Root(), "examples",
			"several-machines",
			"ray_shares.py"), url}, sharedLoad...)...)
		cmd.Env = append(os.Environ(), "PATH="+built.Dir()+":"+os.Getenv("PATH"), "OUT="+out, fmt.Sprint("LEAD=", lead),
			"TMPDIR="+temporary, "RAY_TMPDIR="+temporary, "RAY_USAGE_STATS_ENABLED=0",
			"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0") // so that Ray uses this machine's loopback address
		return harness.Finish(t, cmd)
	})
	wantJoined(t, filepath.Join(out, "merged"), 2, 80)
}
