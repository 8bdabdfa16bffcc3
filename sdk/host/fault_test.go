package host_test

import (
	"context"
	"debug/elf"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// wantFailure checks that err wraps a *host.PluginError of a kind, whose text contains all parts.
func wantFailure(t *testing.T, err error, kind host.FailureKind, parts ...string) {
	t.Helper()
	var e *host.PluginError
	if !errors.As(err, &e) {
		t.Fatalf("error %v (%T), want a *host.PluginError of kind %s", err, err, kind)
	}
	if e.Kind != kind {
		t.Errorf("kind %q, want %q: %v", e.Kind, kind, err)
	}
	for _, part := range parts {
		if !strings.Contains(e.Error(), part) {
			t.Errorf("%q does not contain %q", e.Error(), part)
		}
	}
}

func TestFaultsAtStart(t *testing.T) {
	for _, c := range []struct {
		fault string
		kind  host.FailureKind
		parts []string
	}{
		{"exit", host.KindStart, []string{"exited with status 3 before the handshake",
			"cannot start: the fault asked for it"}},
		{"print-before-handshake", host.KindHandshake, []string{`"Hello from a C library"`, "nothing may be printed"}},
		{"print-half-a-line", host.KindHandshake, []string{`"Loading ... 1|1|unix|`}},
		{"print-binary", host.KindHandshake, []string{`\x7fELF`}},
		{"print-long", host.KindHandshake, []string{"xxx...", "not the handshake"}},
		{"silent-start", host.KindStart, []string{"no handshake within 2s"}},
		{"old-version", host.KindVersion, []string{"version 0 of the plugin protocol, this harness speaks 1", "rebuild"}},
		{"new-version", host.KindVersion, []string{"version 2 of the plugin protocol, this harness speaks 1"}},
		{"new-core", host.KindVersion, []string{`version "2" of go-plugin's core protocol`}},
		{"nobody-listens", host.KindHandshake, []string{"does not answer"}},
		{"tcp", host.KindHandshake, []string{`it listens on "tcp" without TLS, want a unix socket`,
			"PLUGIN_UNIX_SOCKET_DIR"}},
		{"no-calls", host.KindProtocol, []string{"unknown service plumbline.plugin.v1.Plugin"}},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			o := host.LaunchOptions{}
			if c.fault == "silent-start" {
				o.StartTimeout = 2 * time.Second
			}
			_, err := launchWith(t, c.fault, o)
			wantFailure(t, err, c.kind, c.parts...)
			if len(err.Error()) > 4096 {
				t.Errorf("a message of %d bytes", len(err.Error()))
			}
		})
	}
}

func TestFilesThatAreNoPlugins(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, host.BinaryPrefix+name)
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		path, part string
	}{
		{filepath.Join(dir, "none"), "the file does not exist"},
		{write("no-interpreter", "#!/no/such/python3\nprint()\n", 0o700), "it needs the program /no/such/python3"},
		{write("arm", foreignProgram(), 0o700), foreignHint},
		{write("cut", "\x7fELF\x02\x01\x01", 0o700), "it is not a program for"},
		{write("text", "no program", 0o700), "it is not a program for"},
		{write("plain", "#!/bin/sh\n", 0o600), "make the file executable"},
		{write("script", "#!/bin/sh\necho usage: something >&2; exit 64\n", 0o700), "status 64 before the handshake"},
	} {
		t.Run(filepath.Base(c.path), func(t *testing.T) {
			_, err := host.Launch(t.Context(), c.path, host.LaunchOptions{StartTimeout: patience})
			wantFailure(t, err, host.KindStart, c.part)
		})
	}
}

// If frames are cut, too long or invalid, the stream ends, and the error contains the reason.
func TestFaultsOfAStream(t *testing.T) {
	for fault, part := range map[string]string{
		"stream-oversized": "larger than max (4294967295",
		"stream-cut":       "unexpected EOF",
		"stream-garbage":   "unmarshal",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p, err := launchFaulty(t, fault)
			if err == nil {
				ctx, cancel := p.Context(t.Context())
				defer cancel()
				<-ctx.Done()
				err = context.Cause(ctx)
			}
			wantFailure(t, err, host.KindProtocol, part, "fault of the plugin")
		})
	}
}

// The harness does not talk to a plugin that must authenticate itself and does not.
func TestNoTLSWhereItIsAskedFor(t *testing.T) {
	for _, fault := range []string{"tcp", "stream-garbage"} {
		_, err := launchWith(t, fault, host.LaunchOptions{TLS: true})
		wantFailure(t, err, host.KindHandshake, "does not answer")
	}
}

// foreignProgram returns the head of a program for another processor.
func foreignProgram() string {
	machine := elf.EM_AARCH64
	if runtime.GOARCH == "arm64" {
		machine = elf.EM_X86_64
	}
	head := make([]byte, 64)
	copy(head, elf.ELFMAG)
	head[elf.EI_CLASS], head[elf.EI_DATA] = byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB)
	head[elf.EI_VERSION] = byte(elf.EV_CURRENT)
	binary.LittleEndian.PutUint16(head[16:], uint16(elf.ET_EXEC))
	binary.LittleEndian.PutUint16(head[18:], uint16(machine))
	binary.LittleEndian.PutUint32(head[20:], uint32(elf.EV_CURRENT))
	return string(head)
}

// TestMissingLibrary starts a program whose library was removed after it was built.
func TestMissingLibrary(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil || runtime.GOOS != "linux" {
		t.Skip("no C compiler, or not Linux")
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "main.c")
	if err := os.WriteFile(source, []byte("#ifdef LIBRARY\nint runtime(void) { return 0; }\n#else\nint "+
		"runtime(void);\nint main(void) { return runtime(); }\n#endif\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	library, program := filepath.Join(dir, "libgone.so"), filepath.Join(dir, host.BinaryPrefix+"linked")
	for _, args := range [][]string{{"-DLIBRARY", "-shared", "-fPIC", "-o", library, source},
		{"-o", program, source, library}} {
		if out, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	if err := os.Remove(library); err != nil {
		t.Fatal(err)
	}
	_, err = host.Launch(t.Context(), program, host.LaunchOptions{StartTimeout: patience})
	wantFailure(t, err, host.KindStart, "exited with status 127 before the handshake", "libgone.so",
		"a shared library is missing: install it, or set LD_LIBRARY_PATH")
}

func TestStartIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := host.Launch(ctx, faulty(t), host.LaunchOptions{Env: []string{"PLUMBLINE_FAULT=silent-start"}})
	wantFailure(t, err, host.KindStart)
}

func TestFaultsInMidRun(t *testing.T) {
	for _, c := range []struct {
		fault    string
		scenario loadgen.Scenario
		kind     host.FailureKind
		parts    []string
	}{
		{"die", loadgen.SingleStream, host.KindDied, []string{"killed by signal 9", "last words before signal 9", "memory"}},
		{"die", loadgen.Offline, host.KindDied, []string{"killed by signal 9"}},
		{"die-load", loadgen.Server, host.KindDied, []string{"killed by signal 9"}},
		{"die-with-child", loadgen.Server, host.KindDied, []string{"killed by signal 9"}},
		{"exit-run", loadgen.Server, host.KindDied, []string{"exited with status 4", "out of luck"}},
		{"stop", loadgen.Server, host.KindHung, []string{"no sign of life for", "limit 1s"}},
		{"stop", loadgen.Offline, host.KindHung, nil},
		{"silent", loadgen.SingleStream, host.KindHung, []string{"no sign of life for"}},
		{"drop", loadgen.SingleStream, host.KindProtocol, []string{"1 of 3 issued samples were not answered, the first " +
			"with response id 2"}},
		{"drop", loadgen.MultiStream, host.KindProtocol, []string{"response id 16"}},
		{"ragged", loadgen.Server, host.KindProtocol, []string{"want a multiple of 4"}},
		{"wrong-sizes", loadgen.Server, host.KindProtocol, []string{"their sizes sum to"}},
		{"hang-up", loadgen.Server, host.KindProtocol, []string{"it ended its stream: hangs up"}},
		{"bomb", loadgen.SingleStream, host.KindProtocol, []string{"its parts take far more memory than it has bytes"}},
		{"failure-long", loadgen.SingleStream, host.KindFailed, []string{"xxx..."}},
		{"failure", loadgen.Server, host.KindFailed, []string{"out of memory on the device"}},
		{"panic-load", loadgen.Server, host.KindFailed, []string{"panic in Load of sample", "the fault asked for it",
			"benchmark.go"}},
		{"panic-collate", loadgen.SingleStream, host.KindFailed, []string{"panic in Collate of sample", "benchmark.go"}},
		{"panic-postprocess", loadgen.Server, host.KindFailed, []string{"panic in Postprocess of"}},
		{"error-collate", loadgen.Server, host.KindFailed, []string{"collate ", "the fault asked for it"}},
		{"latin-1-collate", loadgen.Server, host.KindFailed, []string{"collate ", "kein Ger\uFFFDt"}},
		{"no-payload", loadgen.SingleStream, host.KindFailed, []string{"0 payloads for 1 samples"}},
		{"panic-open", loadgen.Offline, host.KindFailed, []string{"panic in Open: the fault asked for it"}},
		{"die-open", loadgen.Offline, host.KindDied, []string{"killed by signal 9"}},
	} {
		t.Run(c.fault+"/"+c.scenario.String(), func(t *testing.T) {
			t.Parallel()
			o := host.LaunchOptions{}
			if c.kind == host.KindHung {
				o.HeartbeatTimeout = hangSoon
			}
			p, err := launchWith(t, c.fault, o)
			if err != nil {
				t.Fatal(err)
			}
			_, err = runTest(t, p, untilFault(c.scenario))
			wantFailure(t, err, c.kind, c.parts...)
			if n := len(err.Error()); n > 64<<10 {
				t.Errorf("a message of %d bytes", n)
			}
		})
	}
}

func TestWrongAnswersAreLoadGensToReport(t *testing.T) {
	for fault, part := range map[string]string{
		"twice": "twice", "again": "response id 0 (sample", "unknown": "was not issued", "early": "it answered response id",
	} {
		for _, s := range loadgen.Scenarios() {
			t.Run(fault+"/"+s.String(), func(t *testing.T) {
				t.Parallel()
				p, err := launchFaulty(t, fault)
				if err != nil {
					t.Fatal(err)
				}
				_, err = runTest(t, p, untilFault(s))
				if s == loadgen.Offline && err == nil {
					return // one frame answers the whole query: the fault comes with the third
				}
				if !errors.Is(err, loadgen.ErrProtocol) || !strings.Contains(err.Error(), part) {
					t.Errorf("error %v, want LoadGen's, which says %q", err, part)
				}
			})
		}
	}
}

// Faults that the user can correct are not attributed to the plugin.
func TestFaultsOfTheUser(t *testing.T) {
	for _, c := range []struct {
		fault string
		class error
	}{
		{"error-open", sdk.ErrData}, {"error-load", sdk.ErrData}, {"usage-open", sdk.ErrUsage},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			p, err := launchFaulty(t, c.fault)
			if err != nil {
				t.Fatal(err)
			}
			_, err = startTest(t, p, loadgen.Server)
			var e *host.PluginError
			if !errors.Is(err, c.class) || errors.As(err, &e) {
				t.Errorf("error %v, want one of class %q", err, c.class)
			}
			if _, err := p.Describe(t.Context()); err != nil {
				t.Errorf("the plugin lives on: %v", err)
			}
		})
	}
}

// Descriptions of a workload that are useless for a run or unreasonably long.
func TestWorkloadsThatMakeNoSense(t *testing.T) {
	for fault, part := range map[string]string{
		"opens-endless": "info.dataset_size is 4611686018427387904, want 268435456 at most; info.performance_sample_count is",
		"opens-parts":   "received message larger than max (12582945 vs. 4194304)",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p, err := launchFaulty(t, fault)
			if err != nil {
				t.Fatal(err)
			}
			_, err = startTest(t, p, loadgen.Offline)
			var e *host.PluginError
			if !errors.As(err, &e) || !strings.Contains(err.Error(), part) {
				t.Errorf("error %v, want the plugin's, which says %q", err, part)
			}
		})
	}
}

// An invalid score fails before any part of it is written.
func TestScoresThatMakeNoSense(t *testing.T) {
	for fault, part := range map[string]string{
		"score-negative": "it is of -1 samples, want 0 to", "score-empty": "it has no metric, want at least one",
		"score-twice": `two metrics, or one without a name, called "accuracy"`,
		"score-long":  "have 8388", "score-notes": "its 100001 metrics and notes", "score-outside": `a file "../../a.txt"`,
		"score-log": `a file "./mlperf_log_accuracy.json", want FOLDER/NAME`, "score-nan": "",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			p, err := launchFaulty(t, fault)
			if err != nil {
				t.Fatal(err)
			}
			s, err := p.OpenScorer(t.Context(), sdk.ScoreOptions{})
			if err != nil {
				t.Fatal(err)
			}
			score, err := s.Result()
			if part == "" { // it may be correct, because there is no average of nothing
				if err != nil || !math.IsNaN(score.Metrics[0].Value) {
					t.Errorf("%+v, error %v", score, err)
				}
				return
			}
			wantFailure(t, err, host.KindProtocol, "its score makes no sense", part)
		})
	}
}

// A plugin that reports more and more idle processes does not fill the user's screen.
func TestACrowdOfIdleProcesses(t *testing.T) {
	var notes atomic.Int64
	p, err := launchWith(t, "crowd", host.LaunchOptions{Note: func(string) { notes.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := startTest(t, p, loadgen.SingleStream); err != nil {
		t.Error(err)
	}
	if n := notes.Load(); n == 0 || n > 20 {
		t.Errorf("%d notes", n)
	}
}

// Unusual values that are not faults.
func TestNoFaults(t *testing.T) {
	for _, c := range []struct {
		fault    string
		scenario loadgen.Scenario
	}{
		{"flood", loadgen.Offline},
		{"none-raw", loadgen.SingleStream}, {"none-raw", loadgen.MultiStream}, {"none-raw", loadgen.Server}, {"none-raw",
			loadgen.Offline},
		{"child", loadgen.Offline}, {"slow-close", loadgen.Server}, {"panic-close", loadgen.Server},
	} {
		t.Run(c.fault+"/"+c.scenario.String(), func(t *testing.T) {
			t.Parallel()
			p, err := launchFaulty(t, c.fault)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := p.Context(t.Context())
			defer cancel()
			w, err := openCount(ctx, p, c.scenario, 100)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := loadgen.StartTest(ctx, w.SUT(), w.QSL(), settings(c.scenario), loadgen.LogSettings{}); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// A plugin that works longer than the limit of silence is not silent. A machine that stands still for that long may
// make it look silent. Therefore only a plugin that counts as hung repeatedly has the fault.
func TestWorkIsNoHang(t *testing.T) {
	for _, c := range []struct {
		fault    string
		scenario loadgen.Scenario
	}{
		{"slow", loadgen.Server}, {"slow", loadgen.SingleStream}, {"slow-open", loadgen.Offline},
	} {
		t.Run(c.fault+"/"+c.scenario.String(), func(t *testing.T) {
			t.Parallel()
			const tries = 10
			var err error
			for range tries {
				if err = workLong(t, c.fault, c.scenario); !hung(err) {
					break
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// workLong runs a test on a plugin that works longer than its limit of silence.
func workLong(t *testing.T, fault string, s loadgen.Scenario) error {
	t.Helper()
	p, err := launchWith(t, fault, host.LaunchOptions{HeartbeatTimeout: hangSoon})
	if err != nil {
		return err
	}
	_, err = startTest(t, p, s)
	return errors.Join(err, p.Close())
}

func hung(err error) bool {
	var e *host.PluginError
	return errors.As(err, &e) && e.Kind == host.KindHung
}

// foreignHint is part of the error for foreignProgram.
const foreignHint = " but for EM_"
