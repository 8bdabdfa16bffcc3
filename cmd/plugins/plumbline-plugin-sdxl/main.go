// Command plumbline-plugin-sdxl serves the text-to-image benchmark.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/sdxl"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(sdxl.New(), backends.BackendOptions()...) }
