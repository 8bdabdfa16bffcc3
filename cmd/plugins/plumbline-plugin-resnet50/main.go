// Command plumbline-plugin-resnet50 serves the image-classification benchmark.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/resnet50"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(resnet50.New(), backends.BackendOptions()...) }
