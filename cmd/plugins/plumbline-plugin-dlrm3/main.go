// Command plumbline-plugin-dlrm3 serves the benchmark of streamed recommendation.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/dlrm3"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(dlrm3.New(), backends.BackendOptions()...) }
