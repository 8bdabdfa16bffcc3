// Command plumbline-plugin-resnet50-acme serves the resnet50 benchmark on ACME's hardware.
package main

import (
	"example.com/acme/acme"

	"github.com/plumbline-ml/plumbline/plugins/resnet50"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() { serve.Main(resnet50.New(), serve.Backend("acme", acme.Backend{})) }
