// Package plugin contains the interfaces through which the harness sees a plugin, so that whole-CLI tests can use a
// fake instead of a process.
package plugin

import (
	"context"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// Launcher finds and starts plugins.
type Launcher interface {
	// Discover lists the plugin binaries of the directories; of two with one name the first counts.
	Discover(dirs []string) ([]host.FoundPlugin, error)
	// Launch starts the binary at path. Its errors are *host.PluginError.
	Launch(ctx context.Context, path string, o host.LaunchOptions) (Plugin, error)
}

// Plugin is a running plugin.
type Plugin interface {
	Describe(ctx context.Context) (sdk.Description, error)
	// Backends describes each backend; the list is empty for a plugin that cannot describe them.
	Backends(ctx context.Context) ([]sdk.BackendInfo, error)
	// Open opens a workload; a plugin holds one at a time.
	Open(ctx context.Context, o sdk.Options) (Workload, error)
	OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error)
	// Dataset has the plugin work on a data set apart from runs, and says what was done; progress takes lines meanwhile.
	Dataset(ctx context.Context, r sdk.DatasetRequest, progress func(line string)) (done string, err error)
	// Context ends with parent, or with a *host.PluginError as its cause as soon as the plugin fails.
	Context(parent context.Context) (context.Context, context.CancelFunc)
	StderrTail() []string
	// Close ends the process and every process it started. It may be called more than once. Failures during Close no
	// longer change a result.
	Close()
	// Kill ends them at once, without asking.
	Kill()
}

// Workload is a workload opened in a plugin.
type Workload interface {
	SUT() loadgen.SUT
	QSL() loadgen.QSL
	Info() sdk.WorkloadInfo
	// Close closes the workload; the plugin keeps running. A plugin that dies in it ends the context of Plugin.Context
	// too.
	Close() error
}

// Host is the Launcher of real plugin processes.
type Host struct{}

// Discover implements Launcher.
func (Host) Discover(dirs []string) ([]host.FoundPlugin, error) { return host.Discover(dirs) }

// Launch implements Launcher.
func (Host) Launch(ctx context.Context, path string, o host.LaunchOptions) (Plugin, error) {
	p, err := host.Launch(ctx, path, o)
	if err != nil {
		return nil, err
	}
	return hostProcess{p}, nil
}

// hostProcess is a host.Plugin as a Plugin.
type hostProcess struct{ *host.Plugin }

// Close implements Plugin.
func (p hostProcess) Close() { _ = p.Plugin.Close() }

func (p hostProcess) Open(ctx context.Context, o sdk.Options) (Workload, error) {
	w, err := p.Plugin.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return hostWorkload{w}, nil
}

// hostWorkload is a host.Workload as a Workload.
type hostWorkload struct{ *host.Workload }
