// Command plumbline-plugin-pointpainting serves the 3D object-detection benchmark.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/pointpainting"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(pointpainting.New(), backends.BackendOptions()...) }
