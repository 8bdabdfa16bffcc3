package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
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

// describe is what an interpreter is asked about itself: its version, its own path, and the folders that it and its
// libraries are in.
const describe = `import json, os, sys
see = [p for p in [sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sys.path] if os.path.exists(p)]
try:
    lines = open("/proc/self/maps").read().splitlines()
except OSError:
    lines = []
see += {os.path.dirname(l[l.index("/"):]) for l in lines if "/" in l}
print(json.dumps({"version": list(sys.version_info[:3]), "path": sys.executable, "see": sorted({*see})}))`

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
		Version []int
		Path    string
		See     []string
	}
	if err := json.Unmarshal(text, &found); err != nil || len(found.Version) != 3 || !filepath.IsAbs(found.Path) {
		return nil, fmt.Errorf("%s answers %.60q, want a Python's version, path and folders", path, text)
	}
	v := found.Version
	p := &Python{
		Path: found.Path, Version: fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]), Box: Box{Weak: weak, See: found.See},
	}
	if v[0] != 3 || v[1] < oldestPython {
		return nil, fmt.Errorf("%s is Python %s, want 3.%d or newer", path, p.Version, oldestPython)
	}
	o, err := p.Run(ctx, "print(1)", nil, Limits{Wall: time.Minute, Output: 1 << 16})
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(string(o.Output)) != "1" {
		return nil, fmt.Errorf("%s does not start in the sandbox: exit code %d: %s", path, o.Code, lastLine(o.Errors))
	}
	return p, nil
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
