// Command plumbline-plugin-rgat serves the graph benchmark.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/rgat"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(rgat.New(), backends.BackendOptions()...) }
