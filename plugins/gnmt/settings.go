package gnmt

import (
	"github.com/plumbline-ml/plumbline/accuracy/bleu"
	"github.com/plumbline-ml/plumbline/sdk/generate"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// searchSettings contains the parameters of a model and its search.
type searchSettings struct {
	Sources    string            `param:"sources"` // name of the file in the data set's folder
	References string            `param:"references"`
	Vocabulary string            `param:"vocabulary"`                       // folder, or "embedded"; "": search
	PlainText  bool              `param:"text" choices:"pieces,plain"`      // the files contain untokenized text
	Beams      int               `param:"beams"`                            // beam width
	Penalty    float64           `param:"length_penalty" min:"0" max:"100"` // weight of the length penalty
	StepRule   generate.BeamRule `param:"max_steps"`
	CacheBytes int64             `param:"cache_mb" min:"1" max:"1<<24" times:"1<<20"` // bytes
	// the decoder's state may be copied at each step
	CopyState    bool `param:"copy_state" choices:"no,yes"`
	SacreOptions bleu.SacreOptions
}

// maxBeams is the largest beam width.
const maxBeams = 1024

func readSettings(p *option.Params) (s searchSettings) {
	option.Bind(p, &s, option.ReaderFunc("beams", option.WholeNumber(1, maxBeams)),
		option.WordReader("max_steps", map[string]generate.BeamRule{"sentence": generate.GNMT, "batch": generate.GNMTBatch}),
		option.ReaderFunc("sacrebleu", bleu.ParseTokenizer), option.ReaderFunc("sacrebleu_smoothing", bleu.ParseSmoothing))
	return s
}
