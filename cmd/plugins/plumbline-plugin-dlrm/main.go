// Command plumbline-plugin-dlrm serves the recommendation benchmark.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/dlrm"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(dlrm.New(), backends.BackendOptions()...) }
