package host

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	hclog "github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"github.com/hashicorp/go-plugin/runner"
	"google.golang.org/grpc"

	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// socketPathBytes is the number of bytes that a socket's path needs below the temporary directory. maxSocketPath is the
// kernel's limit for the whole path.
const (
	socketPathBytes = 60
	maxSocketPath   = 104
)

// startMargin is how much longer than the start timeout go-plugin waits. If both ended at the same time, a slow process
// could be reported as killed.
const startMargin = time.Hour

// Launch starts the binary, performs the handshake, and watches the process until Close. Errors are of type
// *PluginError.
func Launch(ctx context.Context, path string, o LaunchOptions) (*Plugin, error) {
	path, o = absolutePath(path), o.withDefaults()
	p := &Plugin{name: pluginNameOf(path), path: path, options: o, output: &pluginOutput{to: o.Stderr, hide: o.Hide},
		received: make(chan struct{})}
	if o.Limits != (ResourceLimits{}) && !LimitsSupported {
		return nil, p.newFailure(KindLimit, ErrNoLimits, "it was not started: "+ErrNoLimits.Error(),
			"start it without limits, or under the system's own")
	}
	p.process = newProcess(path, p.output)
	p.process.afterStart = p.applyLimits
	if fault := p.approveBinary(); fault != nil {
		return nil, fault
	}
	defer p.process.binary.close()
	var err error
	if p.folder, err = newFolder(socketParent()); err != nil {
		return nil, p.newFailure(KindStart, err, "no private folder for its socket: "+err.Error(),
			"set TMPDIR to a folder that can be written")
	}
	p.ring = newShared(o)
	p.process.inherited = p.ring.inheritedFiles()
	p.failed, p.fail = context.WithCancelCause(context.Background())
	p.client = plugin.NewClient(p.clientConfig())
	if err := p.startAndConnect(ctx); err != nil {
		p.cleanUpStart()
		return nil, err
	}
	return p, nil
}

// approveBinary calls LaunchOptions.Approve if it is set.
func (p *Plugin) approveBinary() (err error) {
	if p.options.Approve == nil {
		return nil
	}
	p.process.binary, err = openApproved(p.path, p.options.Approve)
	var failed *PluginError
	if err != nil && !errors.As(err, &failed) {
		return p.newFailure(KindStart, err, "it cannot be started: "+err.Error(), execHint(p.path, err))
	}
	return err
}

// absolutePath makes a path absolute, so that exec does not search for the file in PATH.
func absolutePath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// socketParent returns the temporary directory, or /tmp if a socket's path would be too long there.
func socketParent() string {
	if dir := os.TempDir(); len(dir)+socketPathBytes <= maxSocketPath {
		return dir
	}
	return "/tmp"
}

// maxMessageBytes is the maximum size of a plugin's message about itself or a workload, because results contain much of
// it. largeMessages is for calls that return answers and scores.
const maxMessageBytes = 4 << 20

func largeMessages() grpc.CallOption { return grpc.MaxCallRecvMsgSize(wire.MaxMessage) }

func (p *Plugin) clientConfig() *plugin.ClientConfig {
	return &plugin.ClientConfig{
		HandshakeConfig:  wire.HandshakeConfig(),
		Plugins:          plugin.PluginSet{wire.Service: servicePlugin{}},
		AllowedProtocols: []plugin.Protocol{plugin.ProtocolGRPC},
		StartTimeout:     p.options.StartTimeout + startMargin,
		SkipHostEnv:      true,
		AutoMTLS:         p.options.TLS || runtime.GOOS == "windows", // plugins listen on TCP there
		Logger:           hclog.NewNullLogger(),
		UnixSocketConfig: &plugin.UnixSocketConfig{TempDir: p.folder.path},
		RunnerFunc: func(_ hclog.Logger, spec *exec.Cmd, _ string) (runner.Runner, error) {
			private := []string{"TMPDIR=" + p.folder.path} // files in it are removed with the folder
			p.process.env = slices.Concat(withoutVars(inheritedEnv(os.Environ(), p.options.Inherit), p.options.Withhold),
				spec.Env,
				private, p.options.Env)
			return p.process, nil
		},
		GRPCDialOptions: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessageBytes),
				grpc.MaxCallSendMsgSize(wire.MaxMessage), wire.Codec()),
			grpc.WithInitialWindowSize(wire.Window), grpc.WithInitialConnWindowSize(wire.Window),
			grpc.WithReadBufferSize(wire.SocketBuffer), grpc.WithWriteBufferSize(wire.SocketBuffer),
		},
	}
}

// startAndConnect starts the process, performs the handshake and opens the stream. If ctx ends before, it kills the
// process.
func (p *Plugin) startAndConnect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, p.options.StartTimeout)
	defer cancel()
	result := make(chan error, 1)
	go func() { result <- p.shakeHands(ctx) }()
	select {
	case err := <-result:
		if err != nil && p.failed.Err() != nil { // it exceeded a limit, which explains err
			return context.Cause(p.failed)
		}
		return err
	case <-ctx.Done():
		return p.abortStart(ctx, result)
	}
}

// abortStart ends a start that took too long or was cancelled.
func (p *Plugin) abortStart(ctx context.Context, result <-chan error) error {
	err := context.Cause(ctx)
	_ = p.process.Kill(ctx)
	shaken := <-result
	if errors.Is(err, context.DeadlineExceeded) {
		return p.startTimeout()
	}
	return p.newFailure(KindStart, errors.Join(err, shaken), "its start was interrupted", "")
}

// shakeHands does the work of startAndConnect in its own goroutine, because go-plugin does not support contexts.
func (p *Plugin) shakeHands(ctx context.Context) error {
	if _, err := p.client.Start(); err != nil {
		return p.diagnoseStart(err)
	}
	if err := p.ring.closeInherited(); err != nil {
		return p.newFailure(KindStart, err, "its shared memory: "+err.Error(), "")
	}
	if p.process.binary != nil {
		if err := p.process.binary.checkUnchanged(); err != nil {
			return p.newFailure(KindStart, err, "it was ended again: "+err.Error(),
				"is it being built or installed? Start again; and see who may write it")
		}
	}
	if fault := p.checkAddress(); fault != nil {
		return fault
	}
	conn, err := p.client.Client()
	if err != nil {
		return p.diagnoseStart(err)
	}
	raw, err := conn.Dispense(wire.Service)
	if err != nil {
		return p.diagnoseStart(err)
	}
	p.rpc = raw.(pluginpb.PluginClient)
	go p.watchProcess()
	p.link, err = openLink(ctx, p)
	return err
}

// cleanUpStart ends the process and removes the files of a failed start.
func (p *Plugin) cleanUpStart() {
	_ = p.process.Kill(context.Background())
	p.client.Kill()
	_ = p.ring.unmapRing(&p.sending)
	_ = p.folder.close()
}

// servicePlugin creates the client of the service.
type servicePlugin struct{ plugin.NetRPCUnsupportedPlugin }

func (servicePlugin) GRPCServer(*plugin.GRPCBroker, *grpc.Server) error {
	return errors.New("the harness serves no plugin")
}

func (servicePlugin) GRPCClient(_ context.Context, _ *plugin.GRPCBroker, conn *grpc.ClientConn) (any, error) {
	return pluginpb.NewPluginClient(conn), nil
}
