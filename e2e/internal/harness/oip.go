package harness

import (
	"net"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/oiptest"
)

// ServeOIP starts a server of the Open Inference Protocol, which ends with the test, and returns its address.
func ServeOIP(t *testing.T, o oiptest.ServerOptions) string {
	t.Helper()
	server, err := oiptest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		server.Stop()
		if err := <-ended; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	return listener.Addr().String()
}
