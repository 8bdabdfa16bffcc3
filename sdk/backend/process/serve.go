package process

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc"

	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// ErrByHand means that a backend process was not started by a plugin.
var ErrByHand = errors.New("this is a backend process, which a plugin starts: harness run MODEL --backend process " +
	"--backend-opt command=COMMAND")

// desertedGrace is how long a batch may run after the plugin has ended.
const desertedGrace = 2 * time.Second

// Serve is the server half for backends in Go. It serves b to the plugin that started the process, until the plugin
// closes the connection or ends. If the process was not started by a plugin, it returns ErrByHand.
func Serve(b backend.Backend) error {
	if os.Getenv(cookieKey) != cookieValue {
		return ErrByHand
	}
	listener, err := net.Listen("unix", filepath.Join(os.Getenv(plugin.EnvUnixSocketDir), "backend"))
	if err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	server := grpc.NewServer(
		grpc.WaitForHandlers(true), // close the session only when no batch uses it
		grpc.MaxRecvMsgSize(wire.MaxMessage), grpc.MaxSendMsgSize(wire.MaxMessage),
		grpc.InitialWindowSize(wire.Window), grpc.InitialConnWindowSize(wire.Window),
		grpc.ReadBufferSize(wire.SocketBuffer), grpc.WriteBufferSize(wire.SocketBuffer),
	)
	s := newService(b, server.Stop)
	backendpb.RegisterBackendServer(server, s)
	deserted, served := make(chan struct{}), make(chan error, 1)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // returns when the plugin has ended
		time.AfterFunc(desertedGrace, func() { close(deserted) })
		server.Stop()
	}()
	fmt.Printf("%d|%s|unix|%s|grpc\n", plugin.CoreProtocolVersion, protocol, listener.Addr())
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return errors.Join(err, s.closeSessions())
	case <-deserted:
		return fmt.Errorf("the plugin is gone, and a batch is at work %v later", desertedGrace)
	}
}
