// Package process is a backend that runs in a process of its own, in any language: the user names a command, the
// command speaks backend.proto.
//
//	harness run resnet50 --backend process --backend-opt command="python3 backend.py"
//
// The client half is [Backend]. Tensors go through shared memory where both sides can, else through the stream. The
// server half for Go is [Serve]; docs/protocol.md says what any other language needs.
//
// In: starting and ending the process, the handshake, tensors on the wire and in shared memory.
// Out: models (the process), batching (sdk/batch).
package process
