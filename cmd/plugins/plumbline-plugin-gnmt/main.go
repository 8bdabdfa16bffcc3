// Command plumbline-plugin-gnmt serves the translation benchmark.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/gnmt"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(gnmt.New(), backends.BackendOptions()...) }
