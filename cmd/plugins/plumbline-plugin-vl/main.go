// Command plumbline-plugin-vl serves the vision-language benchmark on products, with servers or the embedded network.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/vl"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	servers := serve.Backend("openai", openai.Backend{Lookup: os.LookupEnv})
	serve.Main(vl.New(), append(backends.BackendOptions(), servers)...)
}
