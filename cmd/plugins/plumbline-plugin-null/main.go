// Command plumbline-plugin-null serves a benchmark without a model. A run of it measures the cost of the plugin
// boundary.
package main

import (
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	serve.Main(null.Benchmark{}, serve.Backend("null", null.Backend{}), serve.Backend("process", process.Backend{}))
}
