package kserve

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

var _ backend.Remote = (*kserveSession)(nil)

// Nodes returns the endpoints.
func (s *kserveSession) Nodes() []backend.RemoteNode {
	nodes := make([]backend.RemoteNode, len(s.endpoints))
	for i, e := range s.endpoints {
		nodes[i] = networkNode{s, e}
	}
	return nodes
}

// networkNode is an endpoint in the form that the network division requires.
type networkNode struct {
	session  *kserveSession
	endpoint *serverEndpoint
}

func (n networkNode) Address() string { return n.endpoint.url }

// Name returns the server's name in its metadata: Triton's option id, MLServer's server_name. For a server without
// metadata, it measures the round trip by asking whether the model is ready, and returns no name.
func (n networkNode) Name(ctx context.Context) (name, address string, err error) {
	ctx, cancel := n.session.callContext(ctx)
	defer cancel()
	var from peer.Peer
	r, err := n.endpoint.rpc.ServerMetadata(ctx, &oip.ServerMetadataRequest{}, grpc.Peer(&from))
	if status.Code(err) == codes.Unimplemented {
		_, err = n.endpoint.rpc.ModelReady(ctx, n.readyRequest(), grpc.Peer(&from))
	}
	if err != nil {
		return "", "", shortenError(explainError(err))
	}
	if from.Addr != nil {
		address = from.Addr.String()
	}
	return shortenText(r.GetName(), maxNameBytes), address, nil
}

// Send asks whether the model is ready, with an additional field that servers ignore because it is not part of the
// protocol.
func (n networkNode) Send(ctx context.Context, size int) error {
	ctx, cancel := n.session.callContext(ctx)
	defer cancel()
	q := n.readyRequest()
	q.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, paddingField, protowire.BytesType),
		make([]byte, size)))
	if _, err := n.endpoint.rpc.ModelReady(ctx, q); err != nil {
		return shortenError(explainError(err))
	}
	return nil
}

// paddingField is the number of that field: the last valid one, which the protocol is unlikely to use.
const paddingField = protowire.MaxValidNumber

func (n networkNode) readyRequest() *oip.ModelReadyRequest {
	return &oip.ModelReadyRequest{Name: n.session.settings.model, Version: n.session.settings.version}
}
