// Package process is a backend that runs in its own process, in any language. The user names a command that implements
// backend.proto.
//
//	harness run resnet50 --backend process --backend-opt command="python3 backend.py"
//
// The client half is [Backend]. Tensors go through shared memory if both sides support it, else through the stream. The
// server half for Go is [Serve]; docs/protocol.md specifies it for other languages.
//
// In scope: starting and ending the process, the handshake, tensors on the wire and in shared memory. Out of scope:
// models (the process), batching (sdk/internal/batch).
package process
