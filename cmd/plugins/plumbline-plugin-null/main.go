// Command plumbline-plugin-null serves a benchmark without a model: what a run of it costs is what the plugin boundary
// costs.
package main

import (
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
	"github.com/plumbline-ml/plumbline/sdk/sdktest/null"
)

func main() {
	sdk.Main(null.Benchmark{}, sdk.WithBackend("null", null.Backend{}), sdk.WithBackend("process", process.Backend{}))
}
