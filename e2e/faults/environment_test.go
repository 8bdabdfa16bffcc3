package faults

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
	"github.com/plumbline-ml/plumbline/e2e/internal/faulty"
	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/e2e/internal/results"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// TestFullDisk runs where no file may exceed 64 KiB: the run finishes, the message names the files, and what could be
// written is kept.
func TestFullDisk(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no limits of files on this system")
	}
	out := t.TempDir()
	args := []string{"run", "null", "--plugin", "null", "--mode", "accuracy", "--scenario", "Offline", "--count", "5000",
		"--out", out, "--force", "--quiet"}
	cmd := harness.Command(t, "/bin/sh", append([]string{"-c", `ulimit -f 128; exec "$0" "$@"`, built.Harness()},
		args...)...)
	r := harness.Finish(t, cmd).WantCode(t, 2)
	log := filepath.Join(out, "null", "Offline", "accuracy", "mlperf_log_accuracy.json")
	harness.WantMessage(t, r, log, "too large", "free some space", "--out")
	info, err := os.Stat(log)
	if err != nil || info.Size() != 64<<10 {
		t.Errorf("%v, %v: want what could be written", info, err)
	}
	var doc results.Document
	testfile.ReadJSON(t, filepath.Join(out, "result.json"), &doc)
	if len(doc.Runs) != 1 || doc.Runs[0].Status != "failed" || doc.ExitCode != 2 {
		t.Errorf("result.json: %+v", doc)
	}
}

// TestFullDiskFromTheStart runs where not even the start of the run can be recorded: nothing runs.
func TestFullDiskFromTheStart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no limits of files on this system")
	}
	out := t.TempDir()
	args := []string{"run", "null", "--plugin", "null", "--mode", "accuracy", "--scenario", "Offline", "--out", out,
		"--force", "--quiet"}
	cmd := harness.Command(t, "/bin/sh", append([]string{"-c", `ulimit -f 2; exec "$0" "$@"`, built.Harness()},
		args...)...)
	harness.WantMessage(t, harness.Finish(t, cmd).WantCode(t, 2), "result.json", "free some space")
	if left, err := filepath.Glob(filepath.Join(out, "*.tmp")); err != nil || len(left) > 0 {
		t.Errorf("%q are left, %v", left, err)
	}
}

// TestFullDiskEverywhere runs each writing command on a full disk: the exit code is always the same, the file is named,
// and no partial file remains under its name.
func TestFullDiskEverywhere(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for mode, out := range map[string]string{"performance": at("timed"), "accuracy": at("answers")} {
		harness.Run(t, "run", "null", "--plugin", "null", "--scenario", "Offline", "--count", "100", "--quiet", "--mode",
			mode,
			"--out", out).WantCode(t, 0)
	}
	tree := at("tree")
	logs := filepath.Join(tree, "closed", "Lab", "results", "a", "resnet50", "Offline", "accuracy")
	systems := filepath.Join(tree, "closed", "Lab", "systems")
	if err := errors.Join(os.MkdirAll(logs, 0o755), os.MkdirAll(systems, 0o755)); err != nil {
		t.Fatal(err)
	}
	testfile.Write(t, filepath.Join(systems, "a.json"), `{"system_type": "edge", "division": "closed"}`)
	testfile.Write(t, filepath.Join(logs, "mlperf_log_accuracy.json"), noise(100_000))
	testfile.Write(t, filepath.Join(logs, "accuracy.txt"), "accuracy=76.5%\n")
	harness.Run(t, "submission", "pack", tree, "--allow-rejected", "--out", at("packed.tar.gz")).WantCode(t, 0)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, noise(100_000))
	}))
	t.Cleanup(server.Close)
	const run = "run null --plugin null --scenario Offline --mode performance --count 100 --quiet --out DIR/"
	for name, c := range map[string]struct {
		blocks     int // maximal size of a file, in blocks of 512 bytes
		args, says string
	}{
		"result.json":           {4, run + "o1", "result.json"},
		"audits":                {4, "audit seeds null --plugin null --seeds 1,2,3 --out DIR/o2", "result.json"},
		"accuracy.txt":          {0, "score DIR/answers --plugin null", "accuracy.txt"},
		"a page":                {4, "report DIR/timed --html DIR/o4.html", "DIR/o4.html"},
		"a plot":                {4, "report DIR/timed --plot throughput --svg DIR/o5.svg", "DIR/o5.svg"},
		"a data set":            {4, "dataset export resnet50 DIR/o6", "file too large"},
		"pins":                  {0, "trust null --lock DIR/o7", "DIR/o7"},
		"a module":              {2, "new benchmark DIR/flowers --checkout " + built.Root(), "flowers"},
		"a suite":               {0, "new suite DIR/o8.yaml", "DIR/o8.yaml"},
		"a workspace":           {0, "submission init --workspace DIR/o9", "submission.json"},
		"an archive":            {8, "submission pack DIR/tree --allow-rejected --out DIR/o10", "DIR/o10"},
		"what an archive has":   {8, "submission pack --unpack DIR/packed.tar.gz --out DIR/o11", "DIR/o11"},
		"logs that are kept":    {8, "submission truncate DIR/tree --keep DIR/o13", "file too large"},
		"a download":            {8, "fetch onnxruntime --from " + server.URL, "file too large"},
		"events":                {1000, run + "o14 --events /dev/full", "/dev/full"},
		"standard output":       {1000, "list", noSpace},
		"a report of runs":      {1000, run + "o15", noSpace},
		"results on the screen": {1000, run + "o16 --json", noSpace},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			line := fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, c.blocks)
			if c.says == noSpace {
				line += " >/dev/full"
			}
			says, args := strings.ReplaceAll(c.says, "DIR", dir), strings.Fields(strings.ReplaceAll(c.args, "DIR", dir))
			cmd := harness.Command(t, "/bin/sh", append([]string{"-c", line, built.Harness()}, args...)...)
			cmd.Env = append(os.Environ(), "PLUMBLINE_CACHE="+at("cache"))
			harness.WantMessage(t, harness.Finish(t, cmd).WantCode(t, 2), says)
			if _, err := os.Lstat(says); err == nil && says != c.says {
				t.Errorf("%s is left", says)
			}
		})
	}
}

// noSpace is the system's error for a full disk.
const noSpace = "no space left on device"

// noise returns a text that hardly compresses.
func noise(n int) string {
	r := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = "0123456789abcdef"[r.IntN(16)]
	}
	return string(text)
}

// TestLibraryMissing installs a plugin without the library that it loads, and with an invalid one.
func TestLibraryMissing(t *testing.T) {
	dir := built.Install(t, "plugins")
	library := filepath.Join(dir, "plugins", "libonnxruntime.so")
	if err := os.Remove(library); err != nil {
		t.Fatal(err)
	}
	run := func() harness.Result {
		return harness.Finish(t, harness.Command(t, filepath.Join(dir, "harness"), "run", "resnet50", "--plugin", "resnet50",
			"--mode", "accuracy", "--scenario", "Offline", "--out", t.TempDir(), "--force", "--quiet"))
	}
	harness.WantMessage(t, run().WantCode(t, 5), library, "was not found", "option lib")
	testfile.Write(t, library, "no library")
	harness.WantMessage(t, run().WantCode(t, 5), library, "cannot be loaded")
	harness.WantNoProcess(t, dir)
}

// TestForeignArchitecture expects the message to name the architecture of the plugin.
func TestForeignArchitecture(t *testing.T) {
	machine, name := elf.EM_AARCH64, "EM_AARCH64"
	if runtime.GOARCH == "arm64" {
		machine, name = elf.EM_X86_64, "EM_X86_64"
	}
	head := make([]byte, 64)
	copy(head, elf.ELFMAG)
	head[elf.EI_CLASS], head[elf.EI_DATA], head[elf.EI_VERSION] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB),
		byte(elf.EV_CURRENT)
	for at, value := range map[int]uint16{16: uint16(elf.ET_EXEC), 18: uint16(machine), 20: uint16(elf.EV_CURRENT)} {
		binary.LittleEndian.PutUint16(head[at:], value)
	}
	plugin := filepath.Join(t.TempDir(), "plumbline-plugin-foreign")
	if err := os.WriteFile(plugin, head, 0o755); err != nil {
		t.Fatal(err)
	}
	r := harness.Run(t, "run", "foreign", "--plugin", plugin).WantCode(t, 5)
	harness.WantMessage(t, r, plugin, runtime.GOOS+"/"+runtime.GOARCH, name, "build the one for this machine")
}

// TestNoise runs a plugin that prints a line of a megabyte: the run is unaffected, and the log contains the whole line.
func TestNoise(t *testing.T) {
	cmd, _, out := faulty.Run(t, "flood", "--scenario", "Offline", "--count", "1", "--mode", "accuracy")
	harness.Finish(t, cmd).WantCode(t, 0)
	text, err := os.ReadFile(filepath.Join(out, "faulty", "Offline", "accuracy", "plugin.log"))
	if err != nil || strings.Count(string(text), "x") < 1<<20 {
		t.Errorf("%d bytes of the plugin's output are in its log, %v", len(text), err)
	}
}

// TestRestartInMidRun kills a plugin during a run: it is not restarted, since its memory and its work in progress are
// lost.
func TestRestartInMidRun(t *testing.T) {
	cmd, dir, out, stderr := faulty.StartLong(t, "slow-batches")
	plugin := filepath.Join(dir, "faulty", "plumbline-plugin-faulty")
	killed := false
	for _, p := range harness.ProcessesOf(dir) {
		pid, exe, _ := strings.Cut(p, " ")
		if exe == plugin {
			killed = exec.Command("kill", "-9", pid).Run() == nil
		}
	}
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); !killed || code != 5 {
		t.Errorf("killed: %v, exit code %d, want 5; it printed:\n%s", killed, code, stderr)
	}
	faulty.WantMarkedLogs(t, out)
	harness.WantNoProcess(t, dir)
}
