// Command plumbline-plugin-rnnt serves the speech-recognition benchmark RNN-T.
package main

import (
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/rnnt"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(rnnt.New(), backends.BackendOptions()...) }
