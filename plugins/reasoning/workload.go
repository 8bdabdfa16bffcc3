package reasoning

import (
	"errors"

	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// reasoningWorkload is the benchmark opened on one model and one data set.
type reasoningWorkload struct {
	*language.PromptWorkload
	family modelFamily
	draws  bool
}

var (
	_ sdk.GenerativeOf[*backend.Prompt] = (*reasoningWorkload)(nil)
	_ sdk.SamplingPrompter              = (*reasoningWorkload)(nil)
)

// SamplingPrompts says whether tokens are drawn.
func (w *reasoningWorkload) SamplingPrompts() bool { return w.draws }

// errNoIDs is an answer of harmony that came as text.
var errNoIDs = sdk.Usage(errors.New("the server reports no token ids, and harmony's markers have no text: ask one " +
	"that reports them (vLLM's completions), or SGLang by its own API (--backend-opt api=sglang)"))

// AppendTokens appends an answer's ids. gpt-oss' are never made of text, which lacks harmony's markers.
func (w *reasoningWorkload) AppendTokens(dst []byte, p *backend.Prompt, t backend.Tokens) ([]byte, int, error) {
	if w.family == gptOSS && t.IDs == nil && t.N != 0 {
		return dst, 0, errNoIDs
	}
	return w.PromptWorkload.AppendTokens(dst, p, t)
}
