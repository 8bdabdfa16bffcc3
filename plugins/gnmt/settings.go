package gnmt

import (
	"github.com/plumbline-ml/plumbline/accuracy/bleu"
	"github.com/plumbline-ml/plumbline/sdk/generate"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// settings are the parameters of a model.
type settings struct {
	sources, references string // names of files in the data set's folder
	plain               bool   // the files hold text as people write it
	vocabulary          string // folder; "embedded"; "": beside the data set or the model
	beams               int
	penalty             float64 // weight of the length penalty
	rule                generate.BeamRule
	cache               int64 // bytes
	copies              bool  // states may be copied at each step
	sacre               bleu.Options
}

// mostBeams bounds the width of the search.
const mostBeams = 1024

func readSettings(p *option.Params) settings {
	return settings{
		sources: p.Text("sources"), references: p.Text("references"), vocabulary: p.Text("vocabulary"),
		plain: option.Pick(p, "text", map[string]bool{"pieces": false, "plain": true}),
		beams: p.Int("beams", 1, mostBeams), penalty: p.Float("length_penalty", 0, 100),
		rule: option.Pick(p, "max_steps", map[string]generate.BeamRule{
			"sentence": generate.GNMT, "batch": generate.GNMTBatch,
		}),
		cache:  int64(p.Int("cache_mb", 1, 1<<24)) << 20,
		copies: option.Pick(p, "copy_state", map[string]bool{"yes": true, "no": false}),
		sacre: bleu.Options{
			Tokenizer: option.Parse(p, "sacrebleu", bleu.ParseTokenizer),
			Lowercase: option.Pick(p, "sacrebleu_case", map[string]bool{"mixed": false, "lower": true}),
			Smoothing: option.Parse(p, "sacrebleu_smoothing", bleu.ParseSmoothing),
		},
	}
}
