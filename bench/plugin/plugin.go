// Package plugin contains the interfaces through which the harness uses a plugin. Tests of the whole command line can
// replace the process by a fake.
package plugin

import (
	"context"

	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/host"
)

// Launcher finds and starts plugins.
type Launcher interface {
	// Discover lists the plugin binaries of the directories. If two have the same name, only the first counts.
	Discover(dirs []string) ([]host.FoundPlugin, error)
	// Launch starts the binary at path. Its errors are *host.PluginError.
	Launch(ctx context.Context, path string, o host.LaunchOptions) (Plugin, error)
}

// Plugin is a running plugin.
type Plugin interface {
	Describe(ctx context.Context) (sdk.Description, error)
	// Open opens a workload. A plugin can have only one open workload.
	Backends(ctx context.Context) ([]sdk.BackendInfo, error)
	// Open opens a workload; a plugin holds one at a time.
	Open(ctx context.Context, o sdk.Options) (Workload, error)
	OpenScorer(ctx context.Context, o sdk.ScoreOptions) (sdk.Scorer, error)
	// Dataset performs work on a data set outside runs and describes the result. progress receives lines during the work.
	Dataset(ctx context.Context, r sdk.DatasetRequest, progress func(line string)) (done string, err error)
	// Context returns a context that ends with parent or, with a *host.PluginError as its cause, when the plugin fails.
	Context(parent context.Context) (context.Context, context.CancelFunc)
	StderrTail() []string
	// Close ends the process and all processes that it started. It may be called more than once. Failures during Close do
	// not change a result.
	Close()
	// Kill ends the processes immediately, without a request.
	Kill()
}

// Workload is a workload opened in a plugin.
type Workload interface {
	SUT() loadgen.SUT
	QSL() loadgen.QSL
	Info() sdk.WorkloadInfo
	// Close closes the workload; the plugin keeps running. If the plugin dies during Close, the context of Plugin.Context
	// ends.
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

// hostProcess adapts host.Plugin to the interface Plugin.
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

// hostWorkload adapts host.Workload to the interface Workload.
type hostWorkload struct{ *host.Workload }
