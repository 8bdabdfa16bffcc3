// Command ortprocess is a backend process that runs models on ONNX Runtime. Tests use it as a vendor's backend. With
// -pace it runs at the speed of another machine.
//
//	harness run resnet50 --backend process --backend-opt command=ortprocess
//	harness run resnet50 --backend process --backend-opt command="ortprocess -pace once"
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
)

func main() {
	text := flag.String("pace", "", `"once", or how many times as long a run takes`)
	flag.Parse()
	p, err := backends.ParsePace(*text)
	if err == nil {
		err = process.Serve(p.ApplyTo(ort.Backend{}))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
