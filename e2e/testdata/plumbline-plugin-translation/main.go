// Command plumbline-plugin-translation serves the two-part translation benchmark of the tests, on ONNX Runtime and on
// backend processes.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/kserve"
	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/internal/testkit/translation"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	serve.Main(translation.Benchmark{},
		serve.Backend("ort", ort.Backend{Library: os.Getenv("PLUMBLINE_ORT_LIB")}),
		serve.Backend("process", process.Backend{}),
		serve.Backend("kserve", kserve.Backend{Lookup: os.LookupEnv}))
}
