// Command plumbline-plugin-reasoning serves the benchmark of reasoning models, with servers or local decoders.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/reasoning"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	servers := serve.Backend("openai", openai.Backend{Lookup: os.LookupEnv})
	serve.Main(reasoning.New(), append(backends.BackendOptions(), servers)...)
}
