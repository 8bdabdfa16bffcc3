package wire

import (
	"math"
	"time"

	plugin "github.com/hashicorp/go-plugin"
)

const (
	// Protocol is the major version of the wire: plugin.proto, package plumbline.plugin.v1.
	Protocol = 1
	// CoreProtocol is go-plugin's own version, first in the line that a plugin prints.
	CoreProtocol = plugin.CoreProtocolVersion
	// CookieKey is an environment variable; its value tells a plugin that a harness started it. It is no secret.
	CookieKey = "PLUMBLINE_PLUGIN"
	// CookieValue is the value of CookieKey.
	CookieValue = "ba19dbe2-3c43-4a4b-9b8b-plumbline-v1"
	// Service is the one service that a plugin dispenses.
	Service = "plumbline"
	// SocketDirEnv names the private directory of the plugin's socket.
	SocketDirEnv = plugin.EnvUnixSocketDir
	// FolderPrefix begins the name of a plugin's private folder, which holds that directory.
	FolderPrefix = "plumbline-run-"

	// Devices is the capability of a plugin that heeds the devices of an Open request.
	Devices = "devices"
	// ScorePieces is the capability of a plugin whose scorer takes a large payload in pieces.
	ScorePieces = "score-pieces"
	// Backends is the capability of a plugin that describes its backends on request.
	Backends = "backends"
	// Exhibits is the capability of a plugin whose scorer shows samples when it is asked to.
	Exhibits = "exhibits"
	// Dataset is the capability of a plugin that works on data sets apart from runs.
	Dataset = "dataset"

	// MaxMessage is the receive limit of both halves. Frames stay near ChunkBytes; a payload of one sample, a list of
	// samples to load or a description may be larger.
	MaxMessage = math.MaxInt32
	// ChunkBytes bounds the samples, and apart from a single larger payload the answers, of one frame.
	ChunkBytes = 1 << 20
	// Window is the flow-control window of a stream and of the connection: several frames, so that the sender does not
	// wait for each; a set window also turns off gRPC's bandwidth probes.
	Window = 8 << 20
	// SocketBuffer is how much is read from and written to the socket at a time.
	SocketBuffer = 256 << 10

	// Heartbeat is how often a plugin reports, unless the harness asks for another interval.
	Heartbeat = time.Second
)

// HandshakeConfig is go-plugin's form of the handshake.
func HandshakeConfig() plugin.HandshakeConfig {
	return plugin.HandshakeConfig{ProtocolVersion: Protocol, MagicCookieKey: CookieKey, MagicCookieValue: CookieValue}
}
