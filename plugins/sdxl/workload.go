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
	_ sdk.RunnerOf[*captionSample] = (*captionWorkload)(nil)
	_ sdk.ClientWorker             = (*captionWorkload)(nil)
	_ sdk.WorkloadInfoAdder        = (*captionWorkload)(nil)
)

// captionWorkload is the benchmark with one model and one data set. It implements sdk.Runner, which runs samples
// through the model's parts.
type captionWorkload struct {
	generateSettings
	*modelConfig
	files    map[string]backend.Model // by part
	captions []string
	latent   *tensor.Dense
	batch    int  // batch size; 0: the sdk decides
	embedded bool // the model is the embedded one

	encodeOnce sync.Once
	negative   diffusion.EncodedPrompt
	encodeErr  error // error of encoding the negative prompt
}

func newCaptionWorkload(r *manifest.Request, s generateSettings, c *modelConfig, captions []string,
	latent *tensor.Dense) *captionWorkload {
	w := &captionWorkload{generateSettings: s, modelConfig: c, files: r.Files, captions: captions, latent: latent,
		batch:    r.Batch,
		embedded: r.Embedded}
	if w.batch == 0 && !r.Embedded {
		w.batch = 1 // as in the reference
	}
	return w
}

// captionSample contains the token IDs of a caption for both text encoders.
type captionSample struct{ ids [2][]int32 }

func (w *captionWorkload) tokenizeCaption(text string) *captionSample {
	var s captionSample
	for i, t := range w.tokenizers {
		s.ids[i] = t.EncodePadded(make([]int32, 0, t.Context()), text)
	}
	return &s
}

func (w *captionWorkload) Len() int { return len(w.captions) }

// Load tokenizes caption i.
func (w *captionWorkload) Load(_ context.Context, i int) (*captionSample, error) {
	return w.tokenizeCaption(w.captions[i]), nil
}

// WarmSample returns a text that occurs in no data set.
func (w *captionWorkload) WarmSample() *captionSample {
	return w.tokenizeCaption("Lorem ipsum dolor sit amet, consectetur adipiscing elit")
}

// MaxBatch returns the batch size: the user's choice, 1 for a user's model file without a choice, or 0, which leaves it
// to the sdk.
func (w *captionWorkload) MaxBatch() int { return w.batch }

// NewRun returns a run with the memory of one worker. The first call checks the parts and encodes the negative prompt.
func (w *captionWorkload) NewRun(s sdk.Sessions) (sdk.RunOf[*captionSample], error) {
	e, err := newEncoders(s)
	if err != nil {
		return nil, err
	}
	w.encodeOnce.Do(func() { w.negative, w.encodeErr = w.encodeNegative(e, s) })
	if w.encodeErr != nil {
		return nil, w.encodeErr
	}
	return newCaptionRun(w, e, s)
}

// encodeNegative encodes the negative prompt and checks that the UNet accepts the result.
func (w *captionWorkload) encodeNegative(e *textEncoders, s sdk.Sessions) (diffusion.EncodedPrompt, error) {
	p, err := e.encodePrompt(context.Background(), w.tokenizeCaption(w.Negative))
	if err != nil {
		return p, fmt.Errorf("encode the negative prompt: %w", err)
	}
	return p, checkFit(s, p, w.latent.Shape())
}

// ClientWork lists the work between caption and picture that models do not do.
func (w *captionWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	return []string{
		"the parts are called one after the other, the UNet step by step: guidance and the scheduler's arithmetic are " +
			"done between its calls",
		"the decoder's pictures are made levels of 0 to 255",
	}
}

// AddInfo adds the reasons why a run does not belong to the closed division, and the number of captions that the
// reference may tokenize differently.
func (w *captionWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if !w.embedded {
		info.OpenReasons = append(info.OpenReasons, w.openReasons()...)
	}
	if n := countAmbiguous(w.captions); n > 0 {
		if info.BackendInfo == nil {
			info.BackendInfo = map[string]string{}
		}
		info.BackendInfo["captions_outside_ascii"] = strconv.Itoa(n) +
			": the reference repairs those that were read in a wrong encoding, and these stay as they are"
	}
}

func (w *captionWorkload) Close() error { return nil }
