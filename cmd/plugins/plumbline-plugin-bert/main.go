// Command plumbline-plugin-bert serves the question-answering benchmark on ONNX Runtime.
//
// The library is the one beside this binary, unless option lib or the environment variable PLUMBLINE_ORT_LIB names
// another.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/plugins/bert"
	"github.com/plumbline-ml/plumbline/sdk"
)

func main() {
	sdk.Main(bert.New(), sdk.WithBackend("ort", ort.Backend{Library: os.Getenv("PLUMBLINE_ORT_LIB")}))
}
