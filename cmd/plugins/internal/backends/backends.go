// Package backends lists the backends of the built-in plugins and sets their speed in tests. A vendor's plugin lists
// its own backends.
package backends

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/kserve"
	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

// BackendOptions returns the backends: ONNX Runtime (the default), a process in any language, and servers of the Open
// Inference Protocol.
//
// ONNX Runtime's library is in the binary's folder, unless option lib or the environment variable PLUMBLINE_ORT_LIB
// names another.
func BackendOptions() []serve.Option {
	disableTelemetry()
	return []serve.Option{
		serve.Backend("ort", applyPace(ort.Backend{Library: os.Getenv("PLUMBLINE_ORT_LIB")})),
		serve.Backend("process", process.Backend{}),
		serve.Backend("kserve", kserve.Backend{Lookup: os.LookupEnv}),
	}
}

// disableTelemetry prevents newer versions of ONNX Runtime, which the user may name, from reporting over the network in
// a timed run and from leaving their telemetry file behind.
func disableTelemetry() {
	const telemetry = "ORT_DISABLE_TELEMETRY"
	if _, given := os.LookupEnv(telemetry); !given {
		_ = os.Setenv(telemetry, "1") // fails only for malformed names
	}
}
