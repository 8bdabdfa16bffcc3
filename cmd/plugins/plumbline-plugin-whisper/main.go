// Command plumbline-plugin-whisper serves the Whisper speech-recognition benchmark, with local models or transcription
// servers with OpenAI's API.
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
