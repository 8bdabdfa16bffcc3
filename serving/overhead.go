package serving

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// subtractTemplate shortens the prompts of chats by the tokens that the server's template adds, which it determines
// from the first answer and checks with a second one. It adds a note if lengths cannot be exact.
func (s *Session) subtractTemplate(ctx context.Context, first metrics.Measured) error {
	if s.Plan.Tokenizer == "" || s.Set.API != prompts.Chat && s.Set.API != prompts.Responses ||
		s.Plan.Prompts.Image != "" {
		return nil
	}
	more, known := excessTokens(first)
	if !known || more == 0 {
		return nil
	}
	if more < 0 || more > maxTemplate {
		s.addNote(fmt.Sprintf("the server counts %d tokens in a prompt of %d of --tokenizer: it is hardly that of its "+
			"model, "+
			"and lengths are approximate", first.Usage.Prompt, first.AskedIn))
		return nil
	}
	set, err := s.Set.WithOverhead(more)
	if err != nil {
		return sdk.Usage(err)
	}
	s.Set, s.Settings.Prompts = set, set
	second, err := s.Settings.TryRequest(ctx, s.Plan.MaxFirstTime())
	if err != nil {
		return classifyAsk(ctx, err)
	}
	if left, known := excessTokens(second); known && left != 0 {
		s.addNote(fmt.Sprintf("the server counts %+d tokens more or fewer in a prompt of %d than --tokenizer and the %d of "+
			"its "+
			"chat template: lengths are approximate", left, second.AskedIn, more))
	}
	return nil
}

// maxTemplate is the maximum number of tokens that a chat template may add. Longer additions, with tools or a long
// system message, are not part of the template.
const maxTemplate = 1024

// excessTokens returns the number of tokens by which the server's count of a prompt exceeds the requested length.
// known is false if one of the two is unknown.
func excessTokens(m metrics.Measured) (tokens int, known bool) {
	if m.Found != metrics.OK || m.Usage.Prompt < 0 || m.AskedIn <= 0 {
		return 0, false
	}
	return prompts.TokenOverhead([]int64{m.AskedIn}, []int64{m.Usage.Prompt})
}
