package runs_test

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"

	"github.com/plumbline-ml/plumbline/bench/record/export"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/testkit/clitest"
)

func TestExport(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server,Offline", "--export", "csv,parquet",
		"--export", "queries.hdr", "--out", s.Out(), "--quiet"))
	dir := s.Out("resnet50", "Server", "performance", "run_1")
	for _, name := range []string{export.CSVName, export.ParquetName, export.HDRName} {
		if info, err := os.Stat(dir + "/" + name); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	file, err := os.Open(dir + "/" + export.CSVName)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	run := s.Result("resnet50", "Server").Runs[0]
	if len(rows)-1 != int(run.Performance.Samples) || len(run.Files) != 8 {
		t.Errorf("%d rows of %d samples, %d files", len(rows)-1, run.Performance.Samples, len(run.Files))
	}
	var most int64
	for _, row := range rows[1:] {
		latency, err := strconv.ParseInt(row[7], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, latency)
	}
	if most != run.Performance.Latency.Max {
		t.Errorf("the longest latency is %d ns, result.json says %d", most, run.Performance.Latency.Max)
	}
	// a run that takes the place of it leaves nothing of it
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--out", s.Out(), "--force",
		"--quiet"))
	if _, err := os.Stat(dir + "/" + export.CSVName); err == nil {
		t.Error("the export of the run before is still there")
	}
}

func TestExportIsBounded(t *testing.T) {
	s := clitest.New(t)
	s.Want(0, s.Run("run", "resnet50", "--scenario", "Server", "--mode", "performance", "--export", "csv", "--export-rows",
		"100", "--out", s.Out(), "--quiet"), "note: The run has 1,000 samples: the export lists every 10th query.")
}

func TestFaultsOfExport(t *testing.T) {
	s := clitest.New(t)
	s.Want(2, s.Run("run", "resnet50", "--export", "queries.cvs"), `did you mean "queries.csv"?`)
	s.Want(2, s.Run("run", "resnet50", "--export", "csv,csv"), "queries.csv is listed twice")
	s.Want(2, s.Run("run", "resnet50", "--export", "csv", "--export-rows", "-1"), "--export-rows -1: want 1 or more")
	s.Want(2, s.Run("run", "resnet50", "--export", "csv", "--mode", "accuracy"), "it is of timed runs, and there is none")
}
