// Command ortprocess is a backend process that runs models on ONNX Runtime: the tests put it where a vendor's would be.
//
//	harness run resnet50 --backend process --backend-opt command=ortprocess
package main

import (
	"fmt"
	"os"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
)

func main() {
	if err := process.Serve(ort.Backend{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
