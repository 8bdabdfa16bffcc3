// Command plumbline-plugin-whisper serves the speech-recognition benchmark of Whisper: models run here, or servers with
// OpenAI's API that transcribe.
package main

import (
	"os"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/cmd/plugins/internal/backends"
	"github.com/plumbline-ml/plumbline/plugins/whisper"
	"github.com/plumbline-ml/plumbline/sdk/serve"
)

func main() {
	servers := serve.Backend("openai", openai.Backend{Lookup: os.LookupEnv})
	serve.Main(whisper.New(), append(backends.BackendOptions(), servers)...)
}
