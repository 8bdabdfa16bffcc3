// Command plumbline-plugin-bert serves the question-answering benchmark.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/bert"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(bert.New(), backends.BackendOptions()...) }
