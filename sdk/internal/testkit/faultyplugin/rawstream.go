package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/sdk/internal/osprocess"
	"github.com/plumbline-ml/plumbline/sdk/internal/pluginpb"
	"github.com/plumbline-ml/plumbline/sdk/internal/wire"
)

// socketAddress returns a free address in the private folder.
func socketAddress() string { return filepath.Join(os.Getenv(wire.SocketDirEnv), "plugin-raw") }

// serveFrames performs the handshake and uses HTTP/2 without gRPC's library. It answers the Run stream with a heartbeat
// and then with raw bytes, and ends it.
func serveFrames(network, address string, text []byte) {
	osprocess.EndWithHarness()
	listener, err := net.Listen(network, address)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("%d|%d|%s|%s|grpc|\n", wire.CoreProtocol, wire.Protocol, network, listener.Addr())
	mux := http.NewServeMux()
	mux.HandleFunc("/plumbline.plugin.v1.Plugin/Run", func(w http.ResponseWriter, _ *http.Request) {
		beginStream(w)
		_, _ = w.Write(heartbeatFrame())
		_ = http.NewResponseController(w).Flush()
		_, _ = w.Write(text)
		w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
	})
	// Other calls wait for their end, because an answer would compete with the fault of the stream.
	mux.HandleFunc("/", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	server := http.Server{Handler: mux, Protocols: new(http.Protocols)}
	server.Protocols.SetUnencryptedHTTP2(true)
	fmt.Fprintln(os.Stderr, server.Serve(listener))
}

func beginStream(w http.ResponseWriter) { w.Header().Set("Content-Type", "application/grpc") }

// heartbeatFrame returns a whole message: a byte for no compression, its length, and its content.
func heartbeatFrame() []byte {
	message, err := proto.Marshal(&pluginpb.RunResponse{Heartbeat: &pluginpb.Heartbeat{}})
	if err != nil {
		panic(err)
	}
	return append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
}
