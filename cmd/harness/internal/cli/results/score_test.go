package results_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// foreignLog is an accuracy log as the official LoadGen writes it.
const foreignLog = "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 3, \"data\" : \"00008041\" },\n{ \"seq_id\" : 1, \"qsl_idx\" " +
	": 1, \"data\" : \"00000000\" }\n]\n"

func TestScoreOwnRun(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--mode", "accuracy", "--param", "dtype=int32", "--out", s.Out()))
	before, err := os.ReadFile(s.Out("resnet50", "Offline", "accuracy", "accuracy.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{s.Out(), s.Out("resnet50", "Offline", "accuracy"),
		s.Out("resnet50", "Offline", "accuracy", "mlperf_log_accuracy.json")} {
		s.Want(0, s.Run("score", path), "accuracy=95.000%", "hash=", "100.0 % of FP32: passes the 99 % target")
	}
	scored := s.Fakes["resnet50"].Scored()
	if last := scored[len(scored)-1]; last.Model != "resnet50" || last.Params["dtype"] != "int32" {
		t.Errorf("scored with %+v, want the run's own options", last)
	}
	after, err := os.ReadFile(s.Out("resnet50", "Offline", "accuracy", "accuracy.txt"))
	if err != nil || string(after) != string(before) {
		t.Errorf("accuracy.txt: %q, %v; want %q", after, err, before)
	}
	s.Fakes["resnet50"].Score.Metrics[0].Value = 50
	s.Want(4, s.Run("score", s.Out()), "below the 99 % target")
}

func TestScoreForeignLog(t *testing.T) {
	s := clitest.New(t)
	log := s.File("run/mlperf_log_accuracy.json", foreignLog)
	data := filepath.Dir(s.File("photos/val_map.txt", "a.jpg 1\n"))
	s.Want(2, s.Run("score", filepath.Dir(log)), "--benchmark")
	s.Want(2, s.Run("score", log, "--benchmark", "resnet5"), "did you mean \"resnet50\"?")
	s.Want(6, s.Run("score", log, "--benchmark", "resnet50", "--dataset", "/no/such"), "no such file or directory")
	hash := fmt.Sprintf("hash=%x", sha256.Sum256([]byte(foreignLog)))
	s.Want(0, s.Run("score", log, "--benchmark", "mobilenet", "--dataset", data, "--dtype", "float32"), hash,
		"2 of the 50,000 samples of imagenet")
	got := s.Fakes["resnet50"].Scored()
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
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--mode", "performance", "--scenario", "Offline", "--out", s.Out()))
	dir := s.Out("resnet50", "Offline", "performance", "run_1")
	for _, args := range [][]string{{"score", dir}, {"score", filepath.Dir(dir)},
		{"score", dir, "--benchmark", "resnet50"}} {
		s.Want(2, s.Run(args...), dir, "is of a performance run", "an accuracy run")
	}
	s.Want(0, s.Run("run", "resnet50", "--mode", "performance", "--scenario", "Offline",
		"--set", "accuracy_log_sampling_target=50", "--out", s.Out(), "--force"))
	s.Want(0, s.Run("score", dir), "accuracy")
}

func TestScoreBadLogs(t *testing.T) {
	s := clitest.New(t)
	s.Want(6, s.Run("score", s.Dir, "--benchmark", "resnet50"), "no mlperf_log_accuracy.json")
	s.Want(6, s.Run("score", "/no/such", "--benchmark", "resnet50"), "no such file")
	cut := s.File("cut/mlperf_log_accuracy.json", foreignLog[:60])
	s.Want(6, s.Run("score", cut, "--benchmark", "resnet50"), "accuracy log")
	s.Want(2, s.Run("score"), "is missing")
}

func TestScorePluginFails(t *testing.T) {
	s := clitest.New(t)
	log := s.File("mlperf_log_accuracy.json", foreignLog)
	s.Fakes["resnet50"].ScoreErr = fmt.Errorf("qsl_idx 3 is not in the data set")
	s.Want(6, s.Run("score", log, "--benchmark", "resnet50"), "qsl_idx 3")
	s.Fakes["resnet50"] = &plugintest.Fake{LaunchErr: os.ErrPermission}
	s.Want(1, s.Run("list"), "permission denied", "internal error")
}
