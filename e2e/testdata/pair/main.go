// Command pair serves the two-part test benchmark on each kind of backend.
package main

import (
	"github.com/plumbline-ml/plumbline/backends/kserve"
	"github.com/plumbline-ml/plumbline/backends/ort"
	"github.com/plumbline-ml/plumbline/internal/testkit/pair"
	"github.com/plumbline-ml/plumbline/sdk/backend/process"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	serve.Main(pair.New(),
		serve.Backend("ort", ort.Backend{}),
		serve.Backend("process", process.Backend{}),
		serve.Backend("kserve", kserve.Backend{}),
	)
}
