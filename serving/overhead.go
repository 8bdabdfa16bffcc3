package serving

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// lessTemplate makes the prompts of chats shorter by what the server's template adds to them, as the first answer shows
// it, and looks at a second one. It says where lengths cannot be exact.
func (s *Session) lessTemplate(ctx context.Context, first metrics.Measured) error {
	if s.Plan.Tokenizer == "" || s.Set.API != prompts.Chat && s.Set.API != prompts.Responses ||
		s.Plan.Prompts.Image != "" {
		return nil
	}
	more, known := moreThanAsked(first)
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
		return ofAsk(ctx, err)
	}
	if left, known := moreThanAsked(second); known && left != 0 {
		s.addNote(fmt.Sprintf("the server counts %+d tokens more or fewer in a prompt of %d than --tokenizer and the %d of "+
			"its "+
			"chat template: lengths are approximate", left, second.AskedIn, more))
	}
	return nil
}

// maxTemplate is how many tokens a chat template may add: longer ones, with tools or a system's message of a page, are
// no part of templates.
const maxTemplate = 1024

// moreThanAsked is by how many tokens the server counted a prompt longer than it was asked for, where both are known.
func moreThanAsked(m metrics.Measured) (tokens int, known bool) {
	if m.Found != metrics.OK || m.Usage.Prompt < 0 || m.AskedIn <= 0 {
		return 0, false
	}
	return prompts.TokenOverhead([]int64{m.AskedIn}, []int64{m.Usage.Prompt})
}
