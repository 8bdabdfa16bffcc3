// Command plumbline-plugin-retinanet serves the object-detection benchmark.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/retinanet"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(retinanet.New(), backends.BackendOptions()...) }
