// Command plumbline-plugin-llm serves the text-generation benchmark, with local decoders or servers with OpenAI's API.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/llm"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	servers := serve.Backend("openai", openai.Backend{Lookup: os.LookupEnv})
	serve.Main(llm.New(), append(backends.BackendOptions(), servers)...)
}
