package whisper

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/accuracy/wer"
	"github.com/plumbline-ml/plumbline/preprocess/audio"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// speechWorkload is the benchmark with its models and one data set.
type speechWorkload struct {
	modelSettings
	files       map[string]backend.Model
	vocabulary  textVocabulary // nil: the server has its own
	clips       clipSet
	logitCount  atomic.Int64 // number of the decoder's logits; 0: unknown
	textAnswers atomic.Bool  // an answer came as text
}

var (
	_ sdk.GenerativeOf[clipSound] = (*speechWorkload)(nil)
	_ sdk.SessionGenerator        = (*speechWorkload)(nil)
	_ sdk.SessionPlanner          = (*speechWorkload)(nil)
	_ sdk.AudioPrompter           = (*speechWorkload)(nil)
	_ sdk.WorkloadInfoAdder       = (*speechWorkload)(nil)
	_ sdk.ClientWorker            = (*speechWorkload)(nil)
)

// clipSound is a loaded clip.
type clipSound []float32

func (w *speechWorkload) Len() int           { return w.clips.Len() }
func (w *speechWorkload) AudioPrompts() bool { return true }
func (w *speechWorkload) Close() error       { return nil }

// Load reads or generates clip i.
func (w *speechWorkload) Load(_ context.Context, i int) (clipSound, error) {
	samples, err := w.clips.Sound(i)
	return samples, sdk.Data(err)
}

// Prompt returns the sound with the model's limits.
func (w *speechWorkload) Prompt(s clipSound) (backend.Prompt, error) {
	return backend.Prompt{Audio: s, MaxNewTokens: w.MaxTokens, EOS: w.EndIDs}, nil
}

// WarmSample returns a second of silence.
func (w *speechWorkload) WarmSample() clipSound { return make(clipSound, audio.SampleRate) }

var errTokens = errors.New("the backend's tokens cannot be the answer")

// AppendTokens appends the labels of an answer's text. An end token counts as a token but has no text; text after it is
// dropped.
func (w *speechWorkload) AppendTokens(dst []byte, _ clipSound, t backend.Tokens) ([]byte, int, error) {
	if t.IDs == nil {
		w.textAnswers.Store(true)
		return append(dst, wer.EncodePayload(t.Text)...), t.N, nil
	}
	if w.vocabulary == nil {
		return append(dst, wer.EncodePayload(t.Text)...), t.N, nil
	}
	ids := t.IDs
	if end := slices.IndexFunc(ids, func(id int32) bool { return slices.Contains(w.EndIDs, id) }); end >= 0 {
		ids = ids[:end+1]
	}
	text, err := w.decodeText(ids)
	if err != nil {
		return dst, 0, err
	}
	return append(dst, wer.EncodePayload(text)...), len(ids), nil
}

// decodeText returns the text of token IDs. Special tokens have no text.
func (w *speechWorkload) decodeText(ids []int32) (string, error) {
	kept := make([]int32, 0, len(ids))
	for i, id := range ids {
		if most := w.logitCount.Load(); id < 0 || most > 0 && int64(id) >= most {
			return "", fmt.Errorf("%w: token %d is %d, want one of [0, %d)", errTokens, i, id, most)
		}
		if id < w.firstSpecial() {
			kept = append(kept, id)
		}
	}
	text, err := w.vocabulary.Decode(kept)
	if err != nil {
		return "", fmt.Errorf("%w: %w; parameter tokenizer must be that of the backend's model", errTokens, err)
	}
	return text, nil
}

// AddInfo removes the embedded model's name if a server has its own model.
func (w *speechWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if w.vocabulary == nil {
		info.ModelFile, info.Embedded, info.Precision, info.ModelSHA256, info.ModelSize = serverModel, false, "", "", 0
		info.Parts = nil
		info.OpenReasons = append(info.OpenReasons, "a server transcribes, by features, prompt and limits of its own")
	}
}

// serverModel replaces the name of the model file if only the server knows it.
const serverModel = "the server's"

// ClientWork lists the work with sound and text on the client if a server transcribes.
func (w *speechWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	if w.vocabulary == nil {
		return []string{"sound is packed as a file, and the server's text is made label numbers"}
	}
	work := []string{"features are made of sound (log-mel)"}
	if w.textAnswers.Load() {
		work = append(work, "answers that come as text are made label numbers")
	}
	return work
}
