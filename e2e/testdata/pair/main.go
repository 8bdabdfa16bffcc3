// Command pair serves the benchmark of two parts on each kind of backend: the tests build and run it.
package main

import (
	"github.com/plumbline-ml/plumbline/backends/kserve"
	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/pair"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	serve.Main(pair.New(),
		serve.Backend("ort", ort.Backend{}),
		serve.Backend("process", process.Backend{}),
		serve.Backend("kserve", kserve.Backend{}),
	)
}
