// Command plumbline-plugin-resnet50-acme serves the resnet50 benchmark on ACME's hardware.
package main

import (
	"example.com/acme/acme"

	"github.com/plumbline-ml/plumbline/plugins/resnet50"
	"github.com/plumbline-ml/plumbline/sdk"
)

func main() { sdk.Main(resnet50.New(), sdk.WithBackend("acme", acme.Backend{})) }
