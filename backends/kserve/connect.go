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

// connectEndpoints creates a connection for each endpoint without using it. Connections bypass proxies, whose overhead
// would be measured too.
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
			grpc.WithInitialWindowSize(flowWindow), grpc.WithInitialConnWindowSize(flowWindow),
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
	// maxMetadataBytes is the maximum size of a server's metadata and of a model's metadata.
	maxMetadataBytes = 4 << 20
	// maxAnswerBytes is the maximum size of an answer to a request, equal to the limit of gRPC's library.
	maxAnswerBytes = math.MaxInt32
	// flowWindow is the flow-control window of streams and connections. It is large enough for a request of several
	// megabytes.
	flowWindow = 8 << 20
	// socketBuffer is the size of reads from and writes to a socket.
	socketBuffer = 256 << 10
)

// reconnectParams returns the pauses between attempts to reconnect. They are short, so that a server's return is
// noticed soon: gRPC's own pauses grow to two minutes.
func reconnectParams() grpc.ConnectParams {
	return grpc.ConnectParams{
		Backoff: backoff.Config{
			BaseDelay: 200 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second,
		},
		MinConnectTimeout: 20 * time.Second,
	}
}

// vanishTimeout is the time without an acknowledgement after which a connection is closed. The kernel enforces it,
// because many servers end a connection on which gRPC sends keep-alive pings.
const vanishTimeout = 30 * time.Second

// dialTCP connects over TCP. If the host vanishes, the connection ends with an error: keep-alive probes detect this on
// an idle connection and, on Linux, unacknowledged data on a busy one.
func dialTCP(ctx context.Context, address string) (net.Conn, error) {
	const probes, between = 4, 5 * time.Second
	d := net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: vanishTimeout - probes*between, Interval: between,
			Count: probes},
		Control: limitUnacknowledged,
	}
	return d.DialContext(ctx, "tcp", address)
}
