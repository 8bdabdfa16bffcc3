// Command plumbline-plugin-agentic serves the benchmark of agents at the edge, with servers of models that call tools
// or with the scripted stand-in.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/plugins/agentic"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	servers := serve.Backend("openai", openai.Backend{Lookup: os.LookupEnv})
	serve.Main(agentic.New(), serve.Backend(agentic.StandIn()), servers)
}
