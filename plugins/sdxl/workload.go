package sdxl

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"gorgonia.org/tensor"

	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/diffusion"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

var (
	_ sdk.RunnerOf[*sample] = (*workload)(nil)
	_ sdk.ClientWorker      = (*workload)(nil)
	_ sdk.Informer          = (*workload)(nil)
)

// workload is the benchmark opened on one model and one data set. It takes its samples through the model's parts itself
// (sdk.Runner).
type workload struct {
	settings
	*configuration
	files    map[string]backend.Model // by part
	captions []string
	latent   *tensor.Dense
	batch    int  // captions together; 0: the sdk's choice
	embedded bool // the model, whose settings are its own

	encoding sync.Once
	negative diffusion.Prompt
	fault    error // of encoding
}

func newWorkload(r *manifest.Request, s settings, c *configuration, captions []string,
	latent *tensor.Dense) *workload {
	w := &workload{settings: s, configuration: c, files: r.Files, captions: captions, latent: latent, batch: r.Batch,
		embedded: r.Embedded}
	if w.batch == 0 && !r.Embedded {
		w.batch = 1 // the reference's
	}
	return w
}

// sample is a caption as both text encoders read it.
type sample struct{ ids [2][]int32 }

func (w *workload) tokens(text string) *sample {
	var s sample
	for i, t := range w.tokenizers {
		s.ids[i] = t.EncodePadded(make([]int32, 0, t.Context()), text)
	}
	return &s
}

func (w *workload) Len() int { return len(w.captions) }

// Load makes tokens of caption i.
func (w *workload) Load(_ context.Context, i int) (*sample, error) {
	return w.tokens(w.captions[i]), nil
}

// WarmSample is a text that no data set holds.
func (w *workload) WarmSample() *sample {
	return w.tokens("Lorem ipsum dolor sit amet, consectetur adipiscing elit")
}

// MaxBatch is the user's or the sdk's choice; one caption for a model file of the user's who does not say.
func (w *workload) MaxBatch() int { return w.batch }

// NewRun returns the memory of one worker. The first one holds the parts against each other and encodes the negative
// prompt.
func (w *workload) NewRun(s sdk.Sessions) (sdk.RunOf[*sample], error) {
	e, err := newEncoders(s)
	if err != nil {
		return nil, err
	}
	w.encoding.Do(func() { w.negative, w.fault = w.first(e, s) })
	if w.fault != nil {
		return nil, w.fault
	}
	return newRun(w, e, s)
}

// first encodes the negative prompt, and looks whether the UNet takes what came.
func (w *workload) first(e *encoders, s sdk.Sessions) (diffusion.Prompt, error) {
	p, err := e.encode(context.Background(), w.tokens(w.Negative))
	if err != nil {
		return p, fmt.Errorf("encode the negative prompt: %w", err)
	}
	return p, checkFit(s, p, w.latent.Shape())
}

// ClientWork is never nothing: a model takes tokens, and its parts are called step by step.
func (w *workload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{
		"the parts are called one after the other, the UNet step by step: guidance and the scheduler's arithmetic are " +
			"done between its calls",
		"the decoder's pictures are made levels of 0 to 255",
	}
}

// Inform says what keeps the run from the closed division, and of how many captions the reference may make other
// tokens.
func (w *workload) Inform(info *sdk.WorkloadInfo) {
	if !w.embedded {
		info.OpenReasons = append(info.OpenReasons, w.open()...)
	}
	if n := mayDiffer(w.captions); n > 0 {
		if info.BackendInfo == nil {
			info.BackendInfo = map[string]string{}
		}
		info.BackendInfo["captions_outside_ascii"] = strconv.Itoa(n) +
			": the reference repairs those that were read in a wrong encoding, and these stay as they are"
	}
}

func (w *workload) Close() error { return nil }
