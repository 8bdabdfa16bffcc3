// Package clitest runs whole commands of the harness inside a test, on fake plugins.
package clitest

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"

	"github.com/plumbline-ml/plumbline/bench/record"
	"github.com/plumbline-ml/plumbline/internal/testkit/plugintest"
)

// Each command creates all flags again, and few of them stay in memory. With the default percentage, garbage collection
// took two fifths of the tests' time.
func init() { debug.SetGCPercent(400) }

// Shell runs whole commands in the test's process, with fake plugins and its own folders.
type Shell struct {
	T       *testing.T
	Dir     string // folder for outputs
	Plugins string
	Env     map[string]string
	Signals chan os.Signal
	Exit    func(int)
	Program string // path of the harness; empty: unknown
	Exec    func(path string, args []string) error
	Root    fs.FS              // file system of the machine
	Clock   *loadgentest.Clock // clock of runs; nil: the machine's
	Fakes   map[string]*plugintest.Fake

	Stdout, Stderr OutputBuffer
	Redirect       io.Writer    // instead of stdout, if not nil
	Screen         shell.Screen // properties of both streams
}

// OutputBuffer is a buffer that is safe for concurrent use. The goroutine of the live line writes too.
type OutputBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements io.Writer.
func (b *OutputBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns the text written so far.
func (b *OutputBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// New returns a shell with the plugin "resnet50".
func New(t *testing.T) *Shell {
	return NewWith(t, map[string]*plugintest.Fake{"resnet50": plugintest.Classifier()})
}

// NewWith returns a shell with the fake plugins, by name.
func NewWith(t *testing.T, fakes map[string]*plugintest.Fake) *Shell {
	s := &Shell{
		T: t, Dir: t.TempDir(), Plugins: t.TempDir(), Env: map[string]string{}, Signals: make(chan os.Signal, 2),
		Fakes: fakes, Root: Machine(),
		Exit: func(code int) { t.Errorf("the process was ended with code %d", code) },
	}
	s.Env["PLUMBLINE_PLUGINS"] = s.Plugins
	s.Env["PLUMBLINE_CACHE"] = filepath.Join(s.Dir, "cache")
	if err := plugintest.New(fakes).Install(s.Plugins); err != nil {
		t.Fatal(err)
	}
	return s
}

// Run executes a command line. Its output replaces that of the previous command.
func (s *Shell) Run(args ...string) (code int) {
	s.T.Helper()
	s.Stdout, s.Stderr = OutputBuffer{}, OutputBuffer{}
	var stdout io.Writer = &s.Stdout
	if s.Redirect != nil {
		stdout = s.Redirect
	}
	ctx := s.T.Context()
	if s.Clock != nil {
		ctx = loadgentest.WithClock(ctx, s.Clock)
	}
	code = cli.Main(ctx, &shell.State{
		Args: args, Stdout: stdout, Stderr: &s.Stderr,
		Env:    func(key string) string { return s.Env[key] },
		Screen: s.Screen, ErrScreen: s.Screen,
		Signals: s.Signals, Exit: s.Exit, Executable: s.Program, Exec: s.Exec,
		Now:     func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		Root:    s.Root,
		Plugins: plugintest.New(s.Fakes),
	})
	for name, f := range s.Fakes {
		if n := f.Running(); n != 0 {
			s.T.Errorf("%d processes of plugin %s are left", n, name)
		}
	}
	return code
}

// Machine returns a file system that describes a machine.
func Machine() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"proc/cpuinfo":              file("model name\t: Example CPU @ 2.00GHz\nphysical id\t: 0\n"),
		"proc/meminfo":              file("MemTotal:       16384000 kB\n"),
		"proc/sys/kernel/ostype":    file("Linux\n"),
		"proc/sys/kernel/osrelease": file("6.1.0\n"),
		"etc/os-release":            file("PRETTY_NAME=\"Example OS 1\"\n"),
	}
}

// Want fails the test unless the last command's exit code is code and its output contains the texts.
func (s *Shell) Want(code, got int, texts ...string) {
	s.T.Helper()
	all := s.Stdout.String() + s.Stderr.String()
	if got != code {
		s.T.Errorf("exit code %d, want %d; output:\n%s", got, code, all)
	}
	for _, text := range texts {
		if !strings.Contains(all, text) {
			s.T.Errorf("%q is missing in:\n%s", text, all)
		}
	}
}

// Golden compares the last command's output with a file in testdata. The shell's folders are replaced by names.
func (s *Shell) Golden(name string) {
	s.T.Helper()
	testfile.Compare(s.T, name, s.Stdout.String()+s.Stderr.String(), s.Plugins, "PLUGINS", s.Dir, "DIR")
}

// Out returns a path in the shell's folder.
func (s *Shell) Out(parts ...string) string {
	return filepath.Join(append([]string{s.Dir, "out"}, parts...)...)
}

// Result reads the result.json of an output folder.
func (s *Shell) Result(parts ...string) record.Document {
	s.T.Helper()
	d, err := record.Read(s.Out(append(parts, record.FileName)...))
	if err != nil {
		s.T.Fatal(err)
	}
	return d
}

// File creates a file in the shell's folder and returns its path.
func (s *Shell) File(name, text string) string {
	s.T.Helper()
	path := filepath.Join(s.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.T.Fatal(err)
	}
	return path
}
