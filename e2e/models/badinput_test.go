package models

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestBadInput gives the harness one faulty input at a time: each has its exit code and a message that names the fault
// and the remedy, without a stack trace.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	onnx := filepath.Join(built.Root(), "backends", "ort", "testdata")
	truncated := truncate(t, filepath.Join(onnx, "linear.onnx"), filepath.Join(dir, "truncated.onnx"))
	conf := testfile.Write(t, filepath.Join(dir, "user.conf"),
		"*.Server.target_qps = 10\n*.Server.target_qpd = 10\nresnet50.*.min_duration = soon\n")
	short := []string{"--mode", "performance", "--scenario", "SingleStream"}
	for _, c := range []struct {
		name    string
		args    []string
		code    int
		message []string
	}{
		{"unknown model", []string{"resnet5"}, 2, []string{`"resnet5"`, "resnet50"}},
		{"unknown scenario", []string{"resnet50", "--scenario", "Sever"}, 2, []string{`"Sever"`, "Server"}},
		{"unknown mode", []string{"resnet50", "--mode", "speed"}, 2, []string{`"speed"`, "performance"}},
		{"search outside Server", []string{"resnet50", "--mode", "findpeak", "--scenario", "Offline"}, 2,
			[]string{"--mode findpeak", "--scenario Server"}},
		{"unknown pace", []string{"resnet50", "--pace", "exact"}, 2, []string{`"exact"`, "precise"}},
		{"unknown rules", []string{"resnet50", "--rules", "v4.2"}, 2, []string{`"v4.2"`, "v6.1", "v0.5"}},
		{"wrong audit settings", []string{"resnet50", "--audit", conf}, 2, []string{"user.conf:2", "target_qpd"}},
		{"unknown backend", []string{"resnet50", "--backend", "tensorrt"}, 2, []string{`"tensorrt"`, "ort"}},
		{"unknown backend option", []string{"resnet50", "--backend-opt", "thread=2"}, 2, []string{`"thread"`, "threads"}},
		{"unknown provider", []string{"resnet50", "--backend-opt", "provider=cuda"}, 2, []string{"cuda", "has only cpu"}},
		{"unknown flag", []string{"resnet50", "--scenarios", "Server"}, 2, []string{"--scenarios"}},
		{"wrong user.conf", []string{"resnet50", "--user-conf", conf}, 2,
			[]string{"user.conf:2", "target_qpd", "user.conf:3", "soon"}},
		{"missing user.conf", []string{"resnet50", "--user-conf", "none.conf"}, 2, []string{"none.conf"}},
		{"unwritable output", []string{"resnet50", "--out", "/dev/null/out"}, 2, []string{"/dev/null/out"}},
		{"missing model", []string{"resnet50", "--model", "none.onnx"}, 6, []string{"none.onnx"}},
		{"empty model", []string{"resnet50", "--model", testfile.Write(t, filepath.Join(dir, "empty.onnx"), "")},
			6, []string{"empty"}},
		{"not a model", []string{"resnet50", "--model", testfile.Write(t, filepath.Join(dir, "text.onnx"), "not a model")}, 6,
			[]string{"text.onnx", "ONNX"}},
		{"truncated model", []string{"resnet50", "--model", truncated}, 6, []string{"truncated.onnx"}},
		{"wrong tensors", []string{"resnet50", "--model", filepath.Join(onnx, "twice_float32.onnx")}, 6,
			[]string{"no input that fits: it has x float32", "--param input=NAME"}},
		{"data set of resnet50 that is a file", []string{"resnet50", "--dataset", conf}, 6,
			[]string{"it is a file; name the folder"}},
		{"data set of retinanet that is a file", []string{"retinanet", "--dataset", conf}, 6,
			[]string{"it is a file; name the folder"}},
		{"data set of ssd-mobilenet that is a file", []string{"ssd-mobilenet", "--dataset", conf}, 6,
			[]string{"it is a file; name the folder"}},
		{"data set of 3d-unet that is a file", []string{"3d-unet", "--dataset", conf}, 6,
			[]string{"it is a file; name the folder"}},
		{"data set of dlrm-v2 that is a file", []string{"dlrm-v2", "--scenario", "Offline", "--dataset", conf}, 6,
			[]string{"it is a file; name the folder"}},
		{"missing data set", []string{"resnet50", "--dataset", "nowhere"}, 6, []string{"nowhere"}},
		{"no val_map", []string{"resnet50", "--dataset", dir}, 6, []string{"val_map.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"run"}, c.args...)
			if !strings.Contains(strings.Join(args, " "), "--out") {
				args = append(args, "--out", t.TempDir(), "--force")
			}
			if !strings.Contains(strings.Join(args, " "), "--mode") &&
				!strings.Contains(strings.Join(args, " "), "--scenario ") {
				args = append(args, short...)
			}
			harness.WantMessage(t, harness.Run(t, args...).WantCode(t, c.code), c.message...)
		})
	}
}

// TestFilesWithoutAnEnd names /dev/zero wherever a small file is expected: nothing reads it to the end, and the message
// names the fault.
func TestFilesWithoutAnEnd(t *testing.T) {
	const zero = "/dev/zero"
	if _, err := os.Stat(zero); err != nil {
		t.Skip("no such device: ", err)
	}
	pictures := t.TempDir()
	if err := os.Symlink(zero, filepath.Join(pictures, "val_map.txt")); err != nil {
		t.Fatal(err)
	}
	large := testfile.Write(t, filepath.Join(t.TempDir(), "large.conf"), strings.Repeat("# padding\n", 120000))
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"resnet50", "--user-conf", zero}, 2, "not a regular file"},
		{[]string{"resnet50", "--user-conf", large}, 2, "more than 1048576 bytes"},
		{[]string{"resnet50", "--audit", zero}, 2, "not a regular file"},
		{[]string{"resnet50", "--tuning", zero}, 2, "not a regular file"},
		{[]string{"resnet50", "--lock", zero}, 2, "not a regular file"},
		{[]string{"resnet50", "--backend-secret", "token=file:" + zero}, 2, "more than 65536 bytes"},
		{[]string{"resnet50", "--model", zero}, 6, "not a regular file"},
		{[]string{"resnet50", "--dataset", pictures}, 6, "not a regular file"},
		{[]string{"bert-99", "--dataset", zero}, 6, zero},
		{[]string{"bert-99", "--param", "vocab=" + zero}, 6, "not a regular file"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			t.Parallel()
			args := append([]string{"run", "--mode", "performance", "--scenario", "SingleStream", "--out", t.TempDir(),
				"--force"}, c.args...)
			harness.WantMessage(t, harness.Run(t, args...).WantCode(t, c.code), c.says)
		})
	}
}

// TestPipesAreRefused names a pipe without a writer wherever a file or a folder is expected, or replaces one with it:
// nothing waits for it.
func TestPipesAreRefused(t *testing.T) {
	dir := t.TempDir()
	pipe := mkfifo(t, filepath.Join(dir, "pipe"))
	log := mkfifo(t, filepath.Join(dir, "run", "mlperf_log_accuracy.json"))
	workspace := filepath.Join(dir, "workspace")
	harness.Run(t, "submission", "init", "--submitter", "Lab", "--system-type", "edge", "--workspace",
		workspace).WantCode(t, 0)
	broken := filepath.Join(dir, "broken")
	mkfifo(t, filepath.Join(broken, "submission.json"))
	sheet := filepath.Join(workspace, "systems", "system.json")
	if err := os.Remove(sheet); err != nil {
		t.Fatal(err)
	}
	mkfifo(t, sheet)
	graph, _ := graphData(t)
	edges := filepath.Join(graph, "tiny", "processed", "paper__cites__paper", "edge_index.npy")
	if err := os.Remove(edges); err != nil {
		t.Fatal(err)
	}
	mkfifo(t, edges)
	zeros := strings.Repeat("0", 64)
	archive := testfile.Write(t, filepath.Join(dir, "lab.tar.gz"), "an archive")
	mkfifo(t, archive+".sha256")
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"run resnet50 --model PIPE", 6, "not a regular file"},
		{"run resnet50 --ort-lib PIPE --mode performance --scenario Offline", 5, "not a regular file"},
		{"run resnet50 --user-conf PIPE", 2, "not a regular file"},
		{"run resnet50 --tuning PIPE", 2, "not a regular file"},
		{"run resnet50 --lock PIPE", 2, "not a regular file"},
		{"run resnet50 --system PIPE", 2, "not a regular file"},
		{"run bert-99 --param vocab=PIPE --mode performance --scenario Offline", 6, "not a regular file"},
		{"run bert-99 --dataset PIPE", 6, "neither a directory nor a regular file"},
		{"run rgat --mode performance --scenario Offline --dataset " + graph, 6, "edge_index.npy is not a regular file"},
		{"score " + log + " --benchmark null --plugin null", 6, "not a regular file"},
		{"report PIPE", 6, "not a regular file"},
		{"audit verify PIPE", 6, "is not a folder"},
		{"trust --with PIPE --lock " + filepath.Join(dir, "new.lock"), 5, "not a regular file"},
		{"dataset convert resnet50 calibration PIPE " + filepath.Join(dir, "new") + " --param list=PIPE", 6,
			"not a regular file"},
		{"submission check PIPE", 2, "not a directory"},
		{"submission check PIPE --compatible", 2, "not a directory"},
		{"submission results PIPE", 2, "not a directory"},
		{"submission pack PIPE --out " + filepath.Join(dir, "new.tar.gz"), 2, "not a directory"},
		{"submission pack --unpack PIPE --out " + filepath.Join(dir, "new") + " --sha256 " + zeros, 6, "not a regular file"},
		{"submission pack --unpack " + archive + " --out " + filepath.Join(dir, "new"), 6, "not a regular file"},
		{"submission truncate PIPE --keep " + filepath.Join(dir, "keep"), 2, "not a directory"},
		{"submission prepare PIPE --out " + filepath.Join(dir, "new"), 2, "not a directory"},
		{"submission report PIPE --out " + filepath.Join(dir, "new"), 6, "not a regular file"},
		{"submission init --workspace " + broken, 2, "not a regular file"},
		{"submission init --workspace " + workspace, 2, "not a regular file"},
		{"submission build --workspace " + broken, 2, "not a regular file"},
	} {
		t.Run(c.args[:min(len(c.args), 60)], func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(strings.ReplaceAll(c.args, "PIPE", pipe))
			if args[0] == "run" {
				args = append(args, "--out", t.TempDir(), "--force")
			}
			harness.WantMessage(t, harness.Run(t, args...).WantCode(t, c.code), c.says)
		})
	}
}

// mkfifo makes a pipe, and the folders above it.
func mkfifo(t *testing.T, path string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBadPictures opens a data set in which every picture and label has its own fault: all are reported at once.
func TestBadPictures(t *testing.T) {
	dir := t.TempDir()
	picture := testfile.Picture(t, 40, 30)
	testfile.Write(t, filepath.Join(dir, "good.png"), picture)
	testfile.Write(t, filepath.Join(dir, "empty.png"), "")
	testfile.Write(t, filepath.Join(dir, "text.jpg"), "this is no picture")
	testfile.Write(t, filepath.Join(dir, "cut.png"), picture[:len(picture)/2])
	testfile.Write(t, filepath.Join(dir, "huge.png"), hugeHeader(t))
	testfile.Write(t, filepath.Join(dir, "val_map.txt"), strings.Join([]string{
		"good.png 1", "empty.png 2", "missing.png 3", "text.jpg 4", "huge.png 5", "good.png 6", "good2.png 1000",
		"noLabel", "cut.png -1",
	}, "\n")+"\n")
	r := harness.Run(t, "run", "resnet50", "--dataset", dir, "--mode", "accuracy", "--scenario", "Offline",
		"--out", t.TempDir(), "--force").WantCode(t, 6)
	harness.WantMessage(t, r, "line 2", "empty.png", "line 3", "missing.png", "line 4", "text.jpg", "line 5", "huge.png",
		"20000",
		"line 6", "line 7", "1000", "line 8", "noLabel", "line 9")
}

// TestTruncatedPicture has a valid header and a body that ends early: loading it names the file.
func TestTruncatedPicture(t *testing.T) {
	dir := t.TempDir()
	picture := testfile.Picture(t, 400, 300)
	testfile.Write(t, filepath.Join(dir, "cut.png"), picture[:len(picture)/2])
	testfile.Write(t, filepath.Join(dir, "val_map.txt"), "cut.png 1\n")
	r := harness.Run(t, "run", "resnet50", "--dataset", dir, "--mode", "accuracy", "--scenario", "Offline",
		"--out", t.TempDir(), "--force").WantCode(t, 6)
	harness.WantMessage(t, r, "cut.png")
}

// hugeHeader returns a small PNG picture whose header is changed to claim 20,000 x 20,000 pixels.
func hugeHeader(t *testing.T) string {
	t.Helper()
	data := []byte(testfile.Picture(t, 8, 8))
	header := data[12:29] // IHDR, width, height, ...; its CRC follows
	binary.BigEndian.PutUint32(header[4:], 20000)
	binary.BigEndian.PutUint32(header[8:], 20000)
	binary.BigEndian.PutUint32(data[29:], crc32.ChecksumIEEE(header))
	return string(data)
}

func truncate(t *testing.T, from, to string) string {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	return testfile.Write(t, to, string(data[:len(data)*2/3]))
}

// TestScoreGolden scores the official accuracy logs of the golden cases with the harness: the printed line equals the
// official script's.
func TestScoreGolden(t *testing.T) {
	golden.Each(t, "scorers/imagenet/*/expected.json", func(t *testing.T, path string) {
		var want struct {
			Args            struct{ Dtype string }
			AccuracyPercent float64 `json:"accuracy_percent"`
			Good, Total     int
		}
		testfile.ReadJSON(t, path, &want)
		dir := filepath.Dir(path)
		log := t.TempDir() // accuracy.txt is written beside the log
		if err := os.CopyFS(log, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		r := harness.Run(t, "score", filepath.Join(log, "mlperf_log_accuracy.json"), "--benchmark", "resnet50", "--dataset",
			log,
			"--dtype", want.Args.Dtype)
		line := fmt.Sprintf("accuracy=%.3f%%, good=%d, total=%d", want.AccuracyPercent, want.Good, want.Total)
		if !strings.Contains(r.Stdout, line) {
			t.Errorf("exit code %d, no %q in:\n%s", r.Code, line, r.Both())
		}
	})
}
