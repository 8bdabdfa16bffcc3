package cli

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/plugin/plugintest"
)

// foreignLog is an accuracy log as the official LoadGen writes it.
const foreignLog = "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 3, \"data\" : \"00008041\" },\n{ \"seq_id\" : 1, \"qsl_idx\" " +
	": 1, \"data\" : \"00000000\" }\n]\n"

func TestScoreOwnRun(t *testing.T) {
	s := newShell(t)
	s.want(0, s.run("run", "resnet50", "--mode", "accuracy", "--param", "dtype=int32", "--out", s.out()))
	before, err := os.ReadFile(s.out("resnet50", "Offline", "accuracy", "accuracy.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{s.out(), s.out("resnet50", "Offline", "accuracy"),
		s.out("resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json")} {
		s.want(0, s.run("score", path), "accuracy=95.000%", "hash=", "100.0 % of FP32: passes the 99 % target")
	}
	scored := s.fakes["resnet50"].Scored()
	if last := scored[len(scored)-1]; last.Model != "resnet50" || last.Params["dtype"] != "int32" {
		t.Errorf("scored with %+v, want the run's own options", last)
	}
	after, err := os.ReadFile(s.out("resnet50", "Offline", "accuracy", "accuracy.txt"))
	if err != nil || string(after) != string(before) {
		t.Errorf("accuracy.txt: %q, %v; want %q", after, err, before)
	}
	s.fakes["resnet50"].Score.Metrics[0].Value = 50
	s.want(4, s.run("score", s.out()), "below the 99 % target")
}

func TestScoreForeignLog(t *testing.T) {
	s := newShell(t)
	log := s.write("run/mlperf_log_accuracy.json", foreignLog)
	data := filepath.Dir(s.write("photos/val_map.txt", "a.jpg 1\n"))
	s.want(2, s.run("score", filepath.Dir(log)), "--benchmark")
	s.want(2, s.run("score", log, "--benchmark", "resnet5"), "did you mean \"resnet50\"?")
	s.want(6, s.run("score", log, "--benchmark", "resnet50", "--dataset", "/no/such"), "no such file or directory")
	hash := fmt.Sprintf("hash=%x", sha256.Sum256([]byte(foreignLog)))
	s.want(0, s.run("score", log, "--benchmark", "mobilenet", "--dataset", data, "--dtype", "float32"), hash,
		"2 of the 50,000 samples of imagenet")
	got := s.fakes["resnet50"].Scored()
	if len(got) != 1 || got[0].Model != "mobilenet" || got[0].Dataset != data || got[0].Params["dtype"] != "float32" {
		t.Errorf("scored with %+v", got)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(log), "accuracy.txt"))
	if err != nil || !strings.HasSuffix(string(text), hash+"\n") {
		t.Errorf("accuracy.txt: %q, %v", text, err)
	}
}

// A performance run keeps no answers, unless it is told to log some: those are scored.
func TestScorePerformanceRun(t *testing.T) {
	s := newShell(t)
	s.want(0, s.run("run", "resnet50", "--mode", "performance", "--scenario", "Offline", "--out", s.out()))
	dir := s.out("resnet50", "Offline", "performance", "run_1")
	for _, args := range [][]string{{"score", dir}, {"score", filepath.Dir(dir)},
		{"score", dir, "--benchmark", "resnet50"}} {
		s.want(2, s.run(args...), dir, "is of a performance run", "an accuracy run")
	}
	s.want(0, s.run("run", "resnet50", "--mode", "performance", "--scenario", "Offline",
		"--set", "accuracy_log_sampling_target=50", "--out", s.out(), "--force"))
	s.want(0, s.run("score", dir), "accuracy")
}

func TestScoreBadLogs(t *testing.T) {
	s := newShell(t)
	s.want(6, s.run("score", s.dir, "--benchmark", "resnet50"), "no mlperf_log_accuracy.json")
	s.want(6, s.run("score", "/no/such", "--benchmark", "resnet50"), "no such file")
	cut := s.write("cut/mlperf_log_accuracy.json", foreignLog[:60])
	s.want(6, s.run("score", cut, "--benchmark", "resnet50"), "accuracy log")
	s.want(2, s.run("score"), "is missing")
}

func TestScorePluginFails(t *testing.T) {
	s := newShell(t)
	log := s.write("mlperf_log_accuracy.json", foreignLog)
	s.fakes["resnet50"].ScoreErr = fmt.Errorf("qsl_idx 3 is not in the data set")
	s.want(6, s.run("score", log, "--benchmark", "resnet50"), "qsl_idx 3")
	s.fakes["resnet50"] = &plugintest.Fake{LaunchErr: os.ErrPermission}
	s.want(1, s.run("list"), "permission denied", "internal error")
}
