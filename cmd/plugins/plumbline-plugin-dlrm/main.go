// Command plumbline-plugin-dlrm serves the recommendation benchmark on ONNX Runtime, or on a backend in
// a process of its own.
//
// The library is the one beside this binary, unless option lib or the environment variable PLUMBLINE_ORT_LIB names
// another.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/plugins/dlrm"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
)

func main() {
	sdk.Main(dlrm.New(),
		sdk.WithBackend("ort", ort.Backend{Library: os.Getenv("PLUMBLINE_ORT_LIB")}),
		sdk.WithBackend("process", process.Backend{}))
}
