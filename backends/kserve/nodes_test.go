package kserve

import (
	"context"
	"net"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/oiptest"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// mock starts a server with the doubler's tensors.
func mock(t *testing.T, o oiptest.ServerOptions) (address string, s *oiptest.Server) {
	t.Helper()
	o.Model = "doubler"
	o.Inputs = []oiptest.Tensor{{Name: "x", Datatype: "FP32", Shape: []int64{-1, width}},
		{Name: "ids", Datatype: "INT64", Shape: []int64{-1}}}
	o.Outputs = []oiptest.Tensor{{Name: "y", Datatype: "FP32", Shape: []int64{-1, width}},
		{Name: "n", Datatype: "INT64", Shape: []int64{-1}}}
	s, err := oiptest.New(o)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		s.Stop()
		<-ended
	})
	return l.Addr().String(), s
}

func TestNodes(t *testing.T) {
	a, server := mock(t, oiptest.ServerOptions{Name: "node-a"})
	b, _ := mock(t, oiptest.ServerOptions{NoMetadata: true})
	nodes := open(t, map[string]string{"url": a + "," + b}).(backend.Remote).Nodes()
	if len(nodes) != 2 || nodes[0].Address() != a || nodes[1].Address() != b {
		t.Fatalf("nodes %v, want %s and %s", nodes, a, b)
	}
	for i, want := range []string{"node-a", ""} {
		name, peer, err := nodes[i].Name(t.Context())
		if name != want || peer != nodes[i].Address() || err != nil {
			t.Errorf("node %d calls itself %q at %q, error %v; want %q", i, name, peer, err, want)
		}
		if err := nodes[i].Send(t.Context(), 1<<20); err != nil {
			t.Errorf("node %d: %v", i, err)
		}
	}
	if server.Requests() != 0 {
		t.Errorf("measuring a node ran its model %d times", server.Requests())
	}
}

func TestNodesThatFail(t *testing.T) {
	srv := serve(t, &server{}, "")
	n := open(t, map[string]string{"url": srv.address}).(backend.Remote).Nodes()[0]
	name, _, err := n.Name(t.Context())
	if name != "test" || err != nil {
		t.Errorf("name %q, error %v", name, err)
	}
	srv.stop()
	if _, _, err = n.Name(t.Context()); err == nil { // over the connection that breaks, or over none
		t.Error("a name of a server that is stopped")
	}
	wantAll(t, n.Send(t.Context(), 1<<20), "cannot be reached")
}

func TestNodesGiveUpWithTheContext(t *testing.T) {
	a, _ := mock(t, oiptest.ServerOptions{Name: "node-a"})
	n := open(t, map[string]string{"url": a}).(backend.Remote).Nodes()[0]
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := n.Name(ctx); err == nil {
		t.Error("a name after the end of the context")
	}
}
