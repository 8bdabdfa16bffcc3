// Package discover finds plugin binaries, asks each plugin which models it serves, and selects the plugin that a run
// names.
package discover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/plumbline-ml/plumbline/loadgen/suggest"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/plugin"
	"github.com/plumbline-ml/plumbline/internal/trust"
)

// Entry is a plugin binary with its description, or the error that prevented the description.
type Entry struct {
	Name        string // file name without the prefix
	Path        string
	Description sdk.Description
	Err         error // why the plugin did not describe itself; Description is then empty
}

// Catalog contains all plugins that were found, in the order of discovery.
type Catalog struct {
	Entries []Entry
	Dirs    []Dir
}

// maxParallel is the maximum number of plugins that Find asks at the same time. Each is a process that may load a large
// library.
const maxParallel = 4

// Find discovers the plugins of dirs and asks each to describe itself. If choice is not "", it asks only the plugin
// with that name or path. A plugin that fails becomes an entry with Err. Find returns an error only if no plugin can be
// chosen.
func Find(ctx context.Context, l plugin.Launcher, dirs []Dir, choice string, o host.LaunchOptions) (*Catalog, error) {
	c := &Catalog{Dirs: dirs}
	found, err := Binaries(l, dirs, choice)
	if err != nil {
		return nil, err
	}
	c.Entries = make([]Entry, len(found))
	slots := make(chan struct{}, maxParallel)
	var wg sync.WaitGroup
	for i, f := range found {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			c.Entries[i] = askPlugin(ctx, l, f, o)
		})
	}
	wg.Wait()
	return c, context.Cause(ctx)
}

// Binaries lists the plugins of dirs, or only the one that choice names (a name or the path of a binary). It does not
// start them.
func Binaries(l plugin.Launcher, dirs []Dir, choice string) ([]host.FoundPlugin, error) {
	if strings.ContainsRune(choice, os.PathSeparator) {
		return findByPath(choice)
	}
	paths := make([]string, len(dirs))
	for i, d := range dirs {
		paths[i] = d.Path
	}
	found, err := l.Discover(paths)
	if err != nil {
		return nil, sdk.Usage(fmt.Errorf("looking for plugins: %w", err))
	}
	if choice == "" {
		return found, nil
	}
	for _, f := range found {
		if f.Name == choice || filepath.Base(f.Path) == choice {
			return []host.FoundPlugin{f}, nil
		}
	}
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.Name
	}
	err = suggest.Unknown("plugin", choice, names)
	if hint := whereToLook(dirs); hint != "" {
		err = fmt.Errorf("%w\n%s", err, hint)
	}
	return nil, sdk.Usage(err)
}

func findByPath(path string) ([]host.FoundPlugin, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("not a regular file")
	}
	if err != nil {
		return nil, sdk.Usage(fmt.Errorf("--plugin %s: %w; name a plugin binary", path, err))
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return []host.FoundPlugin{{Name: strings.TrimPrefix(filepath.Base(path), host.BinaryPrefix), Path: absolute}}, nil
}

func askPlugin(ctx context.Context, l plugin.Launcher, f host.FoundPlugin, o host.LaunchOptions) Entry {
	e := Entry{Name: f.Name, Path: f.Path}
	p, err := l.Launch(ctx, f.Path, o)
	if err != nil {
		e.Err = err
		return e
	}
	defer p.Close()
	e.Description, e.Err = p.Describe(ctx)
	return e
}

// Served is a model and the plugin that serves it.
type Served struct {
	Entry
	Model sdk.ModelInfo
}

// Resolve finds the plugin that serves a model. A benchmark's name means its default model. If two plugins serve the
// model, the error lists both.
func (c *Catalog) Resolve(name string) (Served, error) {
	matches := c.servedBy(name)
	switch len(matches) {
	case 1:
		return matches[0], nil
	case 0:
		return Served{}, c.notFound(name)
	}
	var list strings.Builder
	for _, m := range matches {
		fmt.Fprintf(&list, "\n  %s  %s", m.Name, m.Path)
	}
	return Served{}, sdk.Usage(fmt.Errorf("%d plugins serve %s; choose one with --plugin NAME or PATH:%s", len(matches),
		name, list.String()))
}

// servedBy lists the plugins with a model of the given name or, if there are none, the plugins with a benchmark of that
// name.
func (c *Catalog) servedBy(name string) []Served {
	var models, benchmarks []Served
	for _, e := range c.Entries {
		if e.Err != nil {
			continue
		}
		for _, m := range e.Description.Models {
			if m.Name == name {
				models = append(models, Served{e, m})
			}
		}
		if e.Description.Name == name && len(e.Description.Models) > 0 {
			benchmarks = append(benchmarks, Served{e, e.Description.Models[0]})
		}
	}
	if len(models) > 0 {
		return models
	}
	return benchmarks
}

// notFound explains why no plugin serves name: no plugin was found, the plugin with that name is broken, or the name is
// unknown.
func (c *Catalog) notFound(name string) error {
	if len(c.Entries) == 0 {
		return c.None()
	}
	var broken []Entry
	for _, e := range c.Entries {
		if e.Err == nil {
			continue
		}
		if e.Name == name {
			return plugin.Fault(e.Err)
		}
		broken = append(broken, e)
	}
	if len(broken) == len(c.Entries) {
		return plugin.Fault(fmt.Errorf("no plugin answers: %w", broken[0].Err))
	}
	err := suggest.Unknown("model", name, c.Models())
	if hint := whereToLook(c.Dirs); hint != "" {
		err = fmt.Errorf("%w\n%s", err, hint)
	}
	for _, e := range broken {
		if errors.Is(e.Err, trust.ErrRefused) {
			return plugin.Fault(fmt.Errorf("%w\nunless it is in a plugin that is not trusted: %w", err, e.Err))
		}
		err = fmt.Errorf("%w\nunless plugin %s serves it, which did not answer: %w", err, e.Name, e.Err)
	}
	if len(broken) > 0 {
		return plugin.Fault(err)
	}
	return sdk.Usage(err)
}

// None returns the error for a catalog without plugins: the folders that were searched, and what to do.
func (c *Catalog) None() error {
	var b strings.Builder
	b.WriteString("no plugin found; looked for " + host.BinaryPrefix + "NAME in")
	for _, d := range c.Dirs {
		fmt.Fprintf(&b, "\n  %s  (%s)", d.Path, d.Source)
	}
	b.WriteString("\n" + HowToGet)
	return sdk.Usage(errors.New(b.String()))
}

// Models lists the names of all served models, in the order of discovery.
func (c *Catalog) Models() []string {
	var names []string
	for _, e := range c.Entries {
		for _, m := range e.Description.Models {
			names = append(names, m.Name)
		}
	}
	return names
}
