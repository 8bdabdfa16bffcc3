// Command plumbline-plugin-unet3d serves the medical-segmentation benchmark.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/unet3d"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(unet3d.New(), backends.BackendOptions()...) }
