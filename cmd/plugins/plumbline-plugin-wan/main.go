// Command plumbline-plugin-wan serves the text-to-video benchmark, with servers and processes that make videos, or with
// the drawing program as a stand-in.
package main

import (
	"github.com/plumbline-ml/plumbline/plugins/wan"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	serve.Main(wan.New(), serve.Backend(wan.StandIn()), serve.Backend(wan.VideoBackend()))
}
