// Command plumbline-plugin-wan serves the text-to-video benchmark, with servers and processes that make videos, or with
// the drawing program as a stand-in.
package main

import (
	"github.com/plumbline-ml/plumbline/plugins/wan"
	"github.com/plumbline-ml/plumbline/plugins/wan/videos"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	serve.Main(wan.New(), serve.Backend(videos.StandInName, videos.StandIn{}), serve.Backend("video",
		videos.VideoBackend{}))
}
