// Command plumbline-plugin-llm serves the text-generation benchmark: on ONNX Runtime, or on OpenAI-compatible servers.
//
// The library is the one beside this binary, unless option lib or the environment variable PLUMBLINE_ORT_LIB names
// another.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/plugins/llm"
	"github.com/plumbline-ml/plumbline/sdk"
)

func main() {
	sdk.Main(llm.New(),
		sdk.WithBackend("ort", ort.Backend{Library: os.Getenv("PLUMBLINE_ORT_LIB")}),
		sdk.WithBackend("openai", openai.Backend{Lookup: os.LookupEnv}))
}
