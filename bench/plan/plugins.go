package plan

import (
	"context"
	"time"

	"github.com/plumbline-ml/plumbline/sdk/host"

	"github.com/plumbline-ml/plumbline/bench/discover"
	"github.com/plumbline-ml/plumbline/bench/plugin"
)

// Plugins determines where to look for plugins, and how to start and watch them. Its methods may be called from any
// goroutine.
type Plugins struct {
	Dirs       []string `flag:"plugin-dir"` // are searched first, in this order
	List       string   // further ones, as the variable PLUMBLINE_PLUGINS lists them
	Executable string   // a program: its folder, and plugins/ in there, are searched last; empty: none
	Name       string   `flag:"plugin"` // the only plugin to use, or the path of its binary; empty: all that are found
	// Launcher starts them; nil: plugin.Host{}. A trust.Guard starts pinned ones only.
	Launcher plugin.Launcher
	// Launch watches them. An AnswerTimeout of 0 is UsualAnswerTimeout in smoke runs, and none in others; below 0: none.
	// A nil Hide hides the secrets of a request.
	Launch host.LaunchOptions
	// Catalog is what Find has found, for several plans on the same plugins; nil: New asks them.
	Catalog *discover.Catalog
}

// resolve finds the plugin that serves a model or a benchmark, in the catalog that the section has, else in one that it
// makes. It returns that catalog.
func (p Plugins) resolve(ctx context.Context, name string) (served discover.Served, catalog *discover.Catalog,
	err error) {
	if catalog = p.Catalog; catalog == nil {
		if catalog, err = p.Discover(ctx); err != nil {
			return served, nil, err
		}
	}
	served, err = catalog.Resolve(name)
	return served, catalog, err
}

// UsualAnswerTimeout is the time limit for a plugin without progress in short runs.
const UsualAnswerTimeout = time.Minute

// searchFolders are the folders that are searched, the first one first.
func (p Plugins) searchFolders() []discover.Dir { return discover.Dirs(p.Dirs, p.List, p.Executable) }

// Discover asks the plugins for their models. A plugin that fails is an entry with its error. Discover returns an error
// only if the named plugin does not exist, or with the cause of ctx.
func (p Plugins) Discover(ctx context.Context) (*discover.Catalog, error) {
	return discover.Find(ctx, p.Starter(), p.searchFolders(), p.Name, p.Options(false))
}

// Binaries lists the plugins, or only the one of that name or path, and starts none.
func (p Plugins) Binaries(name string) ([]host.FoundPlugin, error) {
	return discover.Binaries(p.Starter(), p.searchFolders(), name)
}

// Starter starts plugins: the launcher that is given, else this machine.
func (p Plugins) Starter() plugin.Launcher {
	if p.Launcher == nil {
		return plugin.Host{}
	}
	return p.Launcher
}

// Options are Launch with the AnswerTimeout that counts.
func (p Plugins) Options(short bool) host.LaunchOptions {
	o := p.Launch
	switch {
	case o.AnswerTimeout < 0:
		o.AnswerTimeout = 0
	case o.AnswerTimeout == 0 && short:
		o.AnswerTimeout = UsualAnswerTimeout
	}
	return o
}
