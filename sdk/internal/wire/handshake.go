package wire

import (
	"math"
	"time"

	plugin "github.com/hashicorp/go-plugin"
)

const (
	// Protocol is the major version of the wire protocol: plugin.proto, package plumbline.plugin.v1.
	Protocol = 1
	// CoreProtocol is go-plugin's own version, the first part of the line that a plugin prints.
	CoreProtocol = plugin.CoreProtocolVersion
	// CookieKey is the environment variable that tells a plugin that a harness started it. Its value is not secret.
	CookieKey = "PLUMBLINE_PLUGIN"
	// CookieValue is the value of CookieKey.
	CookieValue = "ba19dbe2-3c43-4a4b-9b8b-plumbline-v1"
	// Service is the only service that a plugin dispenses.
	Service = "plumbline"
	// SocketDirEnv is the variable that names the private directory of the plugin's socket.
	SocketDirEnv = plugin.EnvUnixSocketDir
	// FolderPrefix is the prefix of the name of a plugin's private folder, which contains that directory.
	FolderPrefix = "plumbline-run-"

	// Devices is the capability of a plugin that uses the devices of an Open request.
	Devices = "devices"
	// ScorePieces is the capability of a plugin whose scorer accepts a large payload in pieces.
	ScorePieces = "score-pieces"
	// Backends is the capability of a plugin that describes its backends on request.
	Backends = "backends"
	// Exhibits is the capability of a plugin whose scorer returns exhibits on request.
	Exhibits = "exhibits"
	// Dataset is the capability of a plugin that performs work on data sets outside runs.
	Dataset = "dataset"

	// MaxMessage is the receive limit of both halves. Frames have about ChunkBytes, but a payload of one sample, a list of
	// samples to load or a description may be larger.
	MaxMessage = math.MaxInt32
	// ChunkBytes is the maximum size of the samples in a frame. It is also that of the answers, except for a single larger
	// payload.
	ChunkBytes = 1 << 20
	// Window is the flow-control window of a stream and of the connection. It has room for several frames, so the sender
	// does not wait for each. Setting it also turns off gRPC's bandwidth probes.
	Window = 8 << 20
	// SocketBuffer is the size of the socket's read and write buffers.
	SocketBuffer = 256 << 10

	// Heartbeat is the default interval of a plugin's heartbeats.
	Heartbeat = time.Second
)

// HandshakeConfig returns the handshake in go-plugin's form.
func HandshakeConfig() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: Protocol, MagicCookieKey: CookieKey, MagicCookieValue: CookieValue}
}
