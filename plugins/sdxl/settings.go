package sdxl

import (
	"errors"
	"math"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// embedded is the value of a parameter that stands for the file inside the plugin.
const embedded = manifest.Embedded

// settings are the parameters of a model.
type settings struct {
	config           string // folder of tokenizers, scheduler and VAE configuration; "": beside the UNet's; "embedded"
	latents          string // path; "": of the data set; "embedded"
	steps            int
	guidance         float32
	negative         string // prompt
	statistics       string // path; "": of the data set; "embedded"
	scorerVocabulary string // folder; "": that of the scorer's clip; "embedded"
}

// readSettings reads all parameters. A configuration that the user names says whose defaults they have.
func readSettings(r *manifest.Request) settings {
	r.DefaultsOf("config")
	return parseSettings(r.Params)
}

// mostSteps bounds the denoising steps, of which training has 1,000.
const mostSteps = 1000

func parseSettings(p *option.Params) settings {
	return settings{
		config: p.Text("config"), latents: p.Text("latents"),
		steps: p.Int("steps", 1, mostSteps), guidance: float32(p.Float("guidance", -math.MaxFloat32, math.MaxFloat32)),
		negative:   option.Parse(p, "negative_prompt", parsePrompt),
		statistics: p.Text("statistics"), scorerVocabulary: p.Text("scorer_vocabulary"),
	}
}

func parsePrompt(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", errors.New("want a text: its embeddings are what guidance leads away from")
	}
	return text, nil
}

// official are the settings that the rules fix.
const (
	officialSteps    = 20
	officialGuidance = 8
	officialNegative = "normal quality, low quality, worst quality, low res, blurry, nsfw, nude"
)

// open says, a phrase each, what keeps the run from the closed division.
func (s *settings) open() []string {
	var reasons []string
	if s.steps != officialSteps {
		reasons = append(reasons, "the rules have 20 denoising steps")
	}
	if s.guidance != officialGuidance {
		reasons = append(reasons, "the rules have a guidance scale of 8")
	}
	if s.negative != officialNegative {
		reasons = append(reasons, "the rules have another negative prompt")
	}
	return reasons
}

// folder is where a model's tokenizers and configurations lie: the one named, or that of optimum's export, in which the
// UNet is unet/model.onnx.
func (s *settings) folder(unet string) string {
	if s.config != "" {
		return s.config
	}
	return filepath.Dir(filepath.Dir(unet))
}
