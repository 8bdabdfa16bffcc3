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
	Dirs       []string `flag:"plugin-dir"` // directories to search first, in this order
	List       string   // further directories, in the format of the variable PLUMBLINE_PLUGINS
	Executable string   // a program whose folder and plugins/ in it are searched last; empty: none
	Name       string   `flag:"plugin"` // the only plugin to use, or the path of its binary; empty: all that are found
	// Launcher starts plugins; nil: plugin.Host{}. A trust.Guard starts only pinned plugins.
	Launcher plugin.Launcher
	// Launch contains the options for watching plugins. An AnswerTimeout of 0 means UsualAnswerTimeout in smoke runs and
	// no limit in others; below 0: no limit. A nil Hide hides the secrets of a request.
	Launch host.LaunchOptions
	// Catalog is the result of an earlier Find, for several plans with the same plugins; nil: New asks the plugins.
	Catalog *discover.Catalog
}

// resolve finds the plugin that serves a model or a benchmark, in the section's catalog or in a new one. It returns the
// catalog that it used.
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

// searchFolders returns the folders to search, in order.
func (p Plugins) searchFolders() []discover.Dir { return discover.Dirs(p.Dirs, p.List, p.Executable) }

// Discover asks the plugins for their models. A plugin that fails becomes an entry with its error. Discover returns an
// error only if the named plugin does not exist, or with the cause of ctx.
func (p Plugins) Discover(ctx context.Context) (*discover.Catalog, error) {
	return discover.Find(ctx, p.Starter(), p.searchFolders(), p.Name, p.Options(false))
}

// Binaries lists the plugins, or only the one with the given name or path. It does not start them.
func (p Plugins) Binaries(name string) ([]host.FoundPlugin, error) {
	return discover.Binaries(p.Starter(), p.searchFolders(), name)
}

// Starter returns the launcher of the request or, by default, one that starts plugins on this machine.
func (p Plugins) Starter() plugin.Launcher {
	if p.Launcher == nil {
		return plugin.Host{}
	}
	return p.Launcher
}

// Options returns Launch with the effective AnswerTimeout.
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
