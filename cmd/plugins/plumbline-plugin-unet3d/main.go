// Command plumbline-plugin-unet3d serves the medical-segmentation benchmark on ONNX Runtime.
//
// The library is the one beside this binary, unless option lib or the environment variable PLUMBLINE_ORT_LIB names
// another.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/plugins/unet3d"
	"github.com/plumbline-ml/plumbline/sdk"
)

func main() {
	sdk.Main(unet3d.New(), sdk.WithBackend("ort", ort.Backend{Library: os.Getenv("PLUMBLINE_ORT_LIB")}))
}
