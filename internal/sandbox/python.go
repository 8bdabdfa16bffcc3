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

// oldestPython has ast.unparse, which the drivers of tests need.
const oldestPython = 9 // of version 3

// describe is what an interpreter is asked about itself: its version, its own path, the folders that it was installed
// in, where it looks for modules, and the files of its code: its own and its libraries'.
const describe = `import json, os, sys
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

// try is a script that shows whether an interpreter can do in a box what scripts ask for: closing their memory to
// the processes that they fork.
const try = `import ctypes, sys
sys.platform != "linux" or ctypes.CDLL(None).prctl(4, 0, 0, 0, 0) == 0 or sys.exit("prctl")
print(1)`

// FindPython finds an interpreter by its path, or by its name in PATH, asks it what it needs, outside of any box, and
// tries it inside. An error of kind ErrRefused is the machine's: with weak it does not come.
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
	cmd := exec.CommandContext(ctx, path, "-I", "-c", describe)
	cmd.WaitDelay = time.Second
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s is no Python of version 3.%d or newer: %w%s", path, oldestPython, err, said(err))
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
		Box: Box{Weak: weak, See: slices.Concat(found.See, libraries(found.Prefixes))},
	}
	if v[0] != 3 || v[1] < oldestPython {
		return nil, fmt.Errorf("%s is Python %s, want 3.%d or newer", path, p.Version, oldestPython)
	}
	o, err := p.Run(ctx, try, nil, Limits{Wall: time.Minute, Output: 1 << 16})
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(string(o.Output)) != "1" {
		return nil, fmt.Errorf("%s does not start in the sandbox: exit code %d: %s", path, o.Code, lastLine(o.Errors))
	}
	return p, nil
}

// libraries are the folders of libraries of an interpreter that is installed in folders of its own. In a home folder,
// what the interpreter has mapped and where it looks for modules has to do.
func libraries(prefixes []string) (all []string) {
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

// Run runs a script with input on its standard input. It sees nothing of this process's environment, and imports what
// the interpreter has installed.
func (p *Python) Run(ctx context.Context, script string, input []byte, l Limits) (Outcome, error) {
	return p.run(ctx, Command{Args: []string{"-I", "-B", "-c", script}, Input: input}, l)
}

// Talk runs a script as Run does, that is talked with by pipes.
func (p *Python) Talk(ctx context.Context, script string, with Pipes, l Limits) (Outcome, error) {
	return p.run(ctx, Command{Args: []string{"-I", "-B", "-c", script}, Pipes: with}, l)
}

func (p *Python) run(ctx context.Context, c Command, l Limits) (Outcome, error) {
	c.Path = p.Path
	// One thread for libraries of linear algebra: each costs address space, and the processors are shared.
	c.Env = []string{
		"PATH=/usr/local/bin:/usr/bin:/bin", "LANG=C.UTF-8", "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1",
		"MKL_NUM_THREADS=1",
	}
	return p.Box.Run(ctx, c, l)
}

// said is what a command that failed wrote to its standard error.
func said(err error) string {
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
