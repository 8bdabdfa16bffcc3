// Command plumbline-plugin-rag serves the retrieval benchmarks of a whole system, with servers as language models.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/rag"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(rag.New(openai.Backend{Lookup: os.LookupEnv}), backends.BackendOptions()...) }
