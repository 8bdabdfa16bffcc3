package kserve

import (
	"context"
	"fmt"
	"math"
	"net"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/plumbline-ml/plumbline/internal/oip"
)

// dialFunc connects to HOST:PORT.
type dialFunc func(ctx context.Context, address string) (net.Conn, error)

// connectEndpoints makes a connection for each endpoint; none is used yet. It goes to the endpoint itself: what a proxy
// adds would be measured with it.
func (s *kserveSession) connectEndpoints(dial dialFunc) error {
	config, err := s.settings.tlsConfig()
	if err != nil {
		return err
	}
	transport := insecure.NewCredentials()
	if config != nil {
		transport = credentials.NewTLS(config)
	}
	if dial == nil {
		dial = dialTCP
	}
	for _, url := range s.settings.urls {
		conn, err := grpc.NewClient("passthrough:///"+url, grpc.WithTransportCredentials(transport),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMetadataBytes), grpc.MaxCallSendMsgSize(math.MaxInt32)),
			grpc.WithInitialWindowSize(window), grpc.WithInitialConnWindowSize(window),
			grpc.WithReadBufferSize(socketBuffer), grpc.WithWriteBufferSize(socketBuffer),
			grpc.WithContextDialer(dial), grpc.WithNoProxy(), grpc.WithConnectParams(reconnectParams()))
		if err != nil {
			return fmt.Errorf("endpoint %s: %w", url, err)
		}
		s.endpoints = append(s.endpoints, &serverEndpoint{url: url, conn: conn, rpc: oip.NewGRPCInferenceServiceClient(conn)})
	}
	return nil
}

const (
	// maxMetadataBytes is how many bytes a server may say of itself and of a model.
	maxMetadataBytes = 4 << 20
	// maxAnswerBytes is how many bytes an answer to a request may have: as many as gRPC's library takes.
	maxAnswerBytes = math.MaxInt32
	// window is the flow-control window of streams and connections: a request of several megabytes does not wait.
	window = 8 << 20
	// socketBuffer is how much is read from and written to a socket at a time.
	socketBuffer = 256 << 10
)

// reconnectParams is when to connect again. A server that is back is to be noticed soon: gRPC's own
// pauses grow to two minutes.
func reconnectParams() grpc.ConnectParams {
	return grpc.ConnectParams{
		Backoff: backoff.Config{
			BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second,
		},
		MinConnectTimeout: 20 * time.Second,
	}
}

// vanished is how long a host may acknowledge nothing before its connection is given up. The kernel watches over that:
// many servers end a connection on which gRPC asks for signs of life.
const vanished = 30 * time.Second

// dialTCP connects over TCP, and ends the connection with an error when the host has vanished: with a probe when
// nothing is sent, and on Linux also when what was sent is not acknowledged.
func dialTCP(ctx context.Context, address string) (net.Conn, error) {
	const probes, between = 4, 5 * time.Second
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: vanished - probes*between, Interval: between, Count: probes},
		Control:         limitUnacknowledged,
	}
	return d.DialContext(ctx, "tcp", address)
}
