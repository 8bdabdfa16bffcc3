package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"

	hclog "github.com/hashicorp/go-hclog"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/convert"
	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// Option configures Main.
type Option func(*pluginProgram)

// Backend registers a backend under the name with which users select it. The first one is the default.
func Backend(name string, b backend.Backend) Option {
	return func(p *pluginProgram) { p.backends = append(p.backends, namedBackend{name, b}) }
}

// Main is the whole main function of a plugin binary. It serves b to the harness that started the process, and exits
// when the harness closes the connection or dies. It does not return.
//
// With the argument "describe" it prints the plugin's description as JSON. If a user starts the program without an
// argument, it prints its purpose and exits with status 2.
//
// Main redirects the standard output of the process to its standard error output, because the standard output belongs
// to the handshake.
func Main(b sdk.Benchmark, options ...Option) {
	osprocess.KeepOpenFiles() // because this process starts backends and programs of models
	p := pluginProgram{benchmark: b, args: os.Args[1:], started: os.Getenv(wire.CookieKey) == wire.CookieValue}
	for _, o := range options {
		o(&p)
	}
	os.Exit(p.runMain(os.Stdout, os.Stderr))
}

// pluginProgram is a plugin's process.
type pluginProgram struct {
	benchmark sdk.Benchmark
	backends  backendRegistry
	args      []string
	started   bool // by a harness
	intercept []grpc.ServerOption
}

func (p *pluginProgram) runMain(stdout, stderr io.Writer) int {
	switch {
	case len(p.args) == 1 && p.args[0] == "describe":
		return p.printDescription(stdout, stderr)
	case p.started && len(p.args) == 0:
		return p.serveHarness(stderr)
	}
	p.printUsage(stderr)
	return 2
}

// printDescription prints the result of Describe in the form of the wire protocol.
func (p *pluginProgram) printDescription(stdout, stderr io.Writer) int {
	text, err := protojson.Marshal(&pluginpb.DescribeResponse{
		Capabilities: serviceCapabilities(p.benchmark),
		Description:  convert.To[*pluginpb.Description](describeBenchmark(p.benchmark, p.backends)),
	})
	if err == nil {
		var value any
		if err = json.Unmarshal(text, &value); err == nil {
			e := json.NewEncoder(stdout) // protojson's own white space is random
			e.SetIndent("", "  ")
			err = e.Encode(value)
		}
	}
	if err != nil {
		fmt.Fprintln(stderr, "describe:", err)
		return 1
	}
	return 0
}

func (p *pluginProgram) printUsage(w io.Writer) {
	d := describeBenchmark(p.benchmark, p.backends)
	names := make([]string, len(d.Models))
	for i, m := range d.Models {
		names[i] = m.Name
	}
	fmt.Fprintf(w, "This is the Plumbline plugin %s %s: %s\n", d.Name, d.Version, d.Summary)
	fmt.Fprintf(w, "Models: %s. Backends: %s.\n", strings.Join(names, ", "), strings.Join(d.Backends, ", "))
	fmt.Fprintf(w, "A harness starts it; it does nothing by itself. Run one of\n  harness run %s\n", d.Name)
	fmt.Fprintf(w, "  %s describe      print the description as JSON\n", os.Args[0])
}

// serveHarness serves one harness.
func (p *pluginProgram) serveHarness(stderr io.Writer) int {
	restore, err := osprocess.ReserveStdout()
	if err != nil {
		fmt.Fprintln(stderr, "plugin:", err)
		return 1
	}
	osprocess.EndWithHarness()
	s := newService(p.benchmark, p.backends)
	plugin.Serve(&plugin.ServeConfig{
		HandshakeConfig: wire.HandshakeConfig(),
		Plugins:         plugin.PluginSet{wire.Service: &grpcService{service: s}},
		GRPCServer:      p.newServer(restore, &s.monitor.calls),
		Logger:          hclog.NewNullLogger(),
	})
	if _, err := s.closeWorkload(); err != nil {
		fmt.Fprintln(stderr, "plugin:", err)
		return 1
	}
	return 0
}

// newServer makes the gRPC server. go-plugin redirects os.Stdout and os.Stderr to its own pipes directly after the
// handshake. At the first call, restore reverses that, so a crash does not lose the last lines. calls counts the
// pending unary calls.
func (p *pluginProgram) newServer(restore func(), calls *atomic.Int32) func([]grpc.ServerOption) *grpc.Server {
	return func(options []grpc.ServerOption) *grpc.Server {
		options = append(options,
			grpc.MaxRecvMsgSize(wire.MaxMessage), grpc.MaxSendMsgSize(wire.MaxMessage),
			grpc.InitialWindowSize(wire.Window), grpc.InitialConnWindowSize(wire.Window),
			grpc.ReadBufferSize(wire.SocketBuffer), grpc.WriteBufferSize(wire.SocketBuffer),
			grpc.ChainUnaryInterceptor(func(ctx context.Context, r any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any,
				error) {
				restore()
				calls.Add(1)
				defer calls.Add(-1)
				return h(ctx, r)
			}),
			grpc.ChainStreamInterceptor(func(s any, stream grpc.ServerStream, _ *grpc.StreamServerInfo,
				h grpc.StreamHandler) error {
				restore()
				return h(s, stream)
			}))
		return grpc.NewServer(append(options, p.intercept...)...)
	}
}

// grpcService registers the service with go-plugin.
type grpcService struct {
	plugin.NetRPCUnsupportedPlugin
	service *pluginService
}

func (s *grpcService) GRPCServer(_ *plugin.GRPCBroker, server *grpc.Server) error {
	pluginpb.RegisterPluginServer(server, s.service)
	return nil
}

func (s *grpcService) GRPCClient(context.Context, *plugin.GRPCBroker, *grpc.ClientConn) (any, error) {
	return nil, fmt.Errorf("a plugin is no client")
}
