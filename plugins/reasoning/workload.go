package reasoning

import (
	"errors"

	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// reasoningWorkload is the benchmark with one model and one data set.
type reasoningWorkload struct {
	*language.PromptWorkload
	family        modelFamily
	samplesTokens bool
}

var (
	_ sdk.GenerativeOf[*backend.Prompt] = (*reasoningWorkload)(nil)
	_ sdk.SamplingPrompter              = (*reasoningWorkload)(nil)
)

// SamplingPrompts reports whether tokens are sampled.
func (w *reasoningWorkload) SamplingPrompts() bool { return w.samplesTokens }

// errNoIDs means that an answer in harmony's form arrived as text.
var errNoIDs = sdk.Usage(errors.New("the server reports no token ids, and harmony's markers have no text: ask one " +
	"that reports them (vLLM's completions), or SGLang by its own API (--backend-opt api=sglang)"))

// AppendTokens appends an answer's token IDs. For gpt-oss, it never tokenizes text, which lacks harmony's markers.
func (w *reasoningWorkload) AppendTokens(dst []byte, p *backend.Prompt, t backend.Tokens) ([]byte, int, error) {
	if w.family == gptOSS && t.IDs == nil && t.N != 0 {
		return dst, 0, errNoIDs
	}
	return w.PromptWorkload.AppendTokens(dst, p, t)
}
