package cli

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/plumbline-ml/plumbline/internal/texttest"
	"github.com/plumbline-ml/plumbline/loadgen/loadgentest"

	"github.com/plumbline-ml/plumbline/bench/plugin/plugintest"
	"github.com/plumbline-ml/plumbline/bench/record"
)

// shell runs whole commands in process, on fake plugins and in directories of its own.
type shell struct {
	t       *testing.T
	dir     string // for outputs
	plugins string
	env     map[string]string
	signals chan os.Signal
	exit    func(int)
	program string // the path of the harness; empty: not known
	exec    func(path string, args []string) error
	root    fs.FS              // the machine's
	clock   *loadgentest.Clock // of runs; nil: the machine's
	fakes   map[string]*plugintest.Fake

	stdout, stderr buffer
	redirect       io.Writer // instead of stdout, if not nil
}

// buffer may be written by the live line's goroutine too.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// newShell is a shell with the plugin "resnet50".
func newShell(t *testing.T) *shell {
	return newShellWith(t, map[string]*plugintest.Fake{"resnet50": plugintest.Classifier()})
}

func newShellWith(t *testing.T, fakes map[string]*plugintest.Fake) *shell {
	s := &shell{
		t: t, dir: t.TempDir(), plugins: t.TempDir(), env: map[string]string{}, signals: make(chan os.Signal, 2),
		fakes: fakes, root: machine(),
		exit: func(code int) { t.Errorf("the process was ended with code %d", code) },
	}
	s.env["PLUMBLINE_PLUGINS"] = s.plugins
	s.env["PLUMBLINE_CACHE"] = filepath.Join(s.dir, "cache")
	if err := plugintest.New(fakes).Install(s.plugins); err != nil {
		t.Fatal(err)
	}
	return s
}

// run executes one command line; what it prints replaces what the last one printed.
func (s *shell) run(args ...string) (code int) {
	s.t.Helper()
	s.stdout, s.stderr = buffer{}, buffer{}
	var stdout io.Writer = &s.stdout
	if s.redirect != nil {
		stdout = s.redirect
	}
	ctx := s.t.Context()
	if s.clock != nil {
		ctx = loadgentest.WithClock(ctx, s.clock)
	}
	code = Main(ctx, &State{
		Args: args, Stdout: stdout, Stderr: &s.stderr,
		Env:     func(key string) string { return s.env[key] },
		Signals: s.signals, Exit: s.exit, Executable: s.program, Exec: s.exec,
		Now:     func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		Root:    s.root,
		Plugins: plugintest.New(s.fakes),
	})
	for name, f := range s.fakes {
		if n := f.Running(); n != 0 {
			s.t.Errorf("%d processes of plugin %s are left", n, name)
		}
	}
	return code
}

// machine is a file system that describes a machine.
func machine() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"proc/cpuinfo":              file("model name\t: Example CPU @ 2.00GHz\nphysical id\t: 0\n"),
		"proc/meminfo":              file("MemTotal:       16384000 kB\n"),
		"proc/sys/kernel/ostype":    file("Linux\n"),
		"proc/sys/kernel/osrelease": file("6.1.0\n"),
		"etc/os-release":            file("PRETTY_NAME=\"Example OS 1\"\n"),
	}
}

// want fails the test unless the last command ended with code and its streams hold the texts.
func (s *shell) want(code, got int, texts ...string) {
	s.t.Helper()
	all := s.stdout.String() + s.stderr.String()
	if got != code {
		s.t.Errorf("exit code %d, want %d; output:\n%s", got, code, all)
	}
	for _, text := range texts {
		if !strings.Contains(all, text) {
			s.t.Errorf("%q is missing in:\n%s", text, all)
		}
	}
}

// golden compares the last command's output with testdata; the shell's directories get names.
func (s *shell) golden(name string) {
	s.t.Helper()
	texttest.Compare(s.t, name, s.stdout.String()+s.stderr.String(), s.plugins, "PLUGINS", s.dir, "DIR")
}

// out is a path in the shell's directory.
func (s *shell) out(parts ...string) string {
	return filepath.Join(append([]string{s.dir, "out"}, parts...)...)
}

func (s *shell) result(parts ...string) record.Document {
	s.t.Helper()
	d, err := record.Read(s.out(append(parts, record.FileName)...))
	if err != nil {
		s.t.Fatal(err)
	}
	return d
}

// write makes a file in the shell's directory and returns its path.
func (s *shell) write(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
	return path
}
