package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Python is an interpreter that runs scripts in a Box.
type Python struct {
	Path    string // absolute
	Version string // "3.11.7"
	Box     Box
}

// minMinorVersion is the first version with ast.unparse, which the drivers of tests need.
const minMinorVersion = 9 // minor version of Python 3

// describeScript prints an interpreter's version, path, installation folders and module folders, and the files of its
// code and libraries, as JSON.
const describeScript = `import json, os, sys
lines = []
try:
    lines = open("/proc/self/maps").read().splitlines()
except OSError:
    pass
code = {l[l.index("/"):] for l in lines if "/" in l and "x" in l.split()[1]}
prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix}
own = [os.path.join(p, name) for p in prefixes for name in ("pyvenv.cfg", "share/zoneinfo")]
see = [p for p in [sys.executable, *own, *sys.path, *code] if os.path.exists(p)]
print(json.dumps({"version": list(sys.version_info[:3]), "path": sys.executable,
    "prefixes": sorted(prefixes), "see": sorted({*see})}))`

// trialScript is a script that tests whether an interpreter can do in a box what the drivers require: protect their
// memory from the processes that they fork.
const trialScript = `import ctypes, sys
sys.platform != "linux" or ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0 or sys.exit("prctl")
print(1)`

// FindPython finds an interpreter by its path, or by its name in PATH. It queries the interpreter's properties outside
// of any box, and tests it in a box. An error that wraps ErrRefused is caused by the machine; it does not occur with
// weak.
func FindPython(ctx context.Context, name string, weak bool) (*Python, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("no Python: %w", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	ctx, end := context.WithTimeout(ctx, time.Minute)
	defer end()
	cmd := exec.CommandContext(ctx, path, "-I", "-c", describeScript)
	cmd.WaitDelay = time.Second
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s is no Python of version 3.%d or newer: %w%s", path, minMinorVersion, err, errorOutput(err))
	}
	var found struct {
		Version       []int
		Path          string
		Prefixes, See []string
	}
	if err := json.Unmarshal(text, &found); err != nil || len(found.Version) != 3 || !filepath.IsAbs(found.Path) {
		return nil, fmt.Errorf("%s answers %.60q, want a Python's version, path and folders", path, text)
	}
	v := found.Version
	p := &Python{
		Path: found.Path, Version: fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]),
		Box: Box{Weak: weak, See: slices.Concat(found.See, libraryFolders(found.Prefixes))},
	}
	if v[0] != 3 || v[1] < minMinorVersion {
		return nil, fmt.Errorf("%s is Python %s, want 3.%d or newer", path, p.Version, minMinorVersion)
	}
	o, err := p.Run(ctx, trialScript, nil, Limits{Wall: time.Minute, Output: 1 << 16})
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(string(o.Output)) != "1" {
		return nil, fmt.Errorf("%s does not start in the sandbox: exit code %d: %s", path, o.Code, lastLine(o.Errors))
	}
	return p, nil
}

// libraryFolders returns the library folders of an interpreter that is installed in its own folders. It omits home
// folders; there, the mapped files and the module folders must suffice.
func libraryFolders(prefixes []string) (all []string) {
	known := homes()
	for _, prefix := range prefixes {
		real, err := filepath.EvalSymlinks(prefix)
		if err != nil || showsHome(real, known) {
			continue
		}
		all = append(all, filepath.Join(prefix, "lib"), filepath.Join(prefix, "lib64"))
	}
	return all
}

// Run runs a script with input on its standard input. The script cannot see this process's environment. It can import
// the modules that are installed for the interpreter.
func (p *Python) Run(ctx context.Context, script string, input []byte, l Limits) (Outcome, error) {
	return p.run(ctx, Command{Args: []string{"-I", "-B", "-c", script}, Input: input}, l)
}

// Talk is like Run but connects the script's standard input and output to pipes.
func (p *Python) Talk(ctx context.Context, script string, with Pipes, l Limits) (Outcome, error) {
	return p.run(ctx, Command{Args: []string{"-I", "-B", "-c", script}, Pipes: with}, l)
}

func (p *Python) run(ctx context.Context, c Command, l Limits) (Outcome, error) {
	c.Path = p.Path
	// Linear algebra uses one thread: each thread takes address space, and the processors are shared.
	c.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
		"MKL_NUM_THREADS=1",
	}
	return p.Box.Run(ctx, c, l)
}

// errorOutput returns the last line that a failed command wrote to standard error.
func errorOutput(err error) string {
	var exit *exec.ExitError
	if errors.As(err, &exit) && len(exit.Stderr) > 0 {
		return ": " + lastLine(exit.Stderr)
	}
	return ""
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	const most = 200 // bytes
	last := lines[len(lines)-1]
	return strings.ToValidUTF8(last[:min(len(last), most)], "")
}
