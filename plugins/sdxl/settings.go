package sdxl

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// embeddedFile is the value of a parameter that selects the file in the plugin.
const embeddedFile = manifest.Embedded

// generateSettings contains the parameters of generating pictures.
type generateSettings struct {
	// Config is the folder of the tokenizers, scheduler and VAE configuration; "": next to the UNet's folder; "embedded".
	Config           string  `param:"config"`
	Latents          string  `param:"latents"`                  // path; "": from the data set; "embedded"
	Steps            int     `param:"steps" min:"1" max:"1000"` // denoising steps; training has 1,000
	Guidance         float32 `param:"guidance" min:"-3.4028234663852886e+38" max:"3.4028234663852886e+38"`
	Negative         string  `param:"negative_prompt"`
	Statistics       string  `param:"statistics"`        // path; "": from the data set; "embedded"
	ScorerVocabulary string  `param:"scorer_vocabulary"` // folder; "": the folder of the scorer's CLIP model; "embedded"
}

// readSettings reads all parameters. A configuration that the user names determines which defaults apply.
func readSettings(r *manifest.Request) (s generateSettings) {
	r.DefaultsOf("config")
	r.Bind(&s, option.ReaderFunc("negative_prompt", parseNegativePrompt))
	return s
}

func parseNegativePrompt(text string) (string, error) {
	if strings.TrimSpace(text) == "" {
		return "", errors.New("want a text: its embeddings are what guidance leads away from")
	}
	return text, nil
}

// Settings that the rules prescribe.
const (
	officialSteps    = 20
	officialGuidance = 8
	officialNegative = "normal quality, low quality, worst quality, low res, blurry, nsfw, nude"
)

// openReasons returns the reasons why a run does not belong to the closed division, as phrases.
func (s *generateSettings) openReasons() []string {
	var reasons []string
	if s.Steps != officialSteps {
		reasons = append(reasons, "the rules have 20 denoising steps")
	}
	if s.Guidance != officialGuidance {
		reasons = append(reasons, "the rules have a guidance scale of 8")
	}
	if s.Negative != officialNegative {
		reasons = append(reasons, "the rules have another negative prompt")
	}
	return reasons
}

// configFolder returns the folder of a model's tokenizers and configurations: the one that the parameter names, or the
// root of optimum's export, in which the UNet is unet/model.onnx.
func (s *generateSettings) configFolder(unet string) string {
	if s.Config != "" {
		return s.Config
	}
	return filepath.Dir(filepath.Dir(unet))
}
