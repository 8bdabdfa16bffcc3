package serving

import (
	"context"
	"fmt"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving/metrics"
	"github.com/plumbline-ml/plumbline/serving/prompts"
	"github.com/plumbline-ml/plumbline/serving/sweep"
)

// lessTemplate makes the prompts of chats shorter by what the server's template adds to them, as the first answer shows
// it, and looks at a second one. It says where lengths cannot be exact.
func (s *session) lessTemplate(ctx context.Context, settings *sweep.Settings, first metrics.Measured) error {
	if s.tokenizer == "" || s.set.API != prompts.Chat && s.set.API != prompts.Responses || s.Image != "" {
		return nil
	}
	more, known := moreThanAsked(first)
	if !known || more == 0 {
		return nil
	}
	if more < 0 || more > mostTemplate {
		s.note(fmt.Sprintf("the server counts %d tokens in a prompt of %d of --tokenizer: it is hardly that of its model, "+
			"and "+
			"lengths are approximate", first.Usage.Prompt, first.AskedIn))
		return nil
	}
	set, err := s.set.WithOverhead(more)
	if err != nil {
		return sdk.Usage(err)
	}
	s.set, settings.Prompts = set, set
	second, err := settings.Try(ctx, s.longest())
	if err != nil {
		return ofAsk(ctx, err)
	}
	if left, known := moreThanAsked(second); known && left != 0 {
		s.note(fmt.Sprintf("the server counts %+d tokens more or fewer in a prompt of %d than --tokenizer and the %d of its "+
			"chat template: lengths are approximate", left, second.AskedIn, more))
	}
	return nil
}

// mostTemplate is how many tokens a chat template may add: longer ones, with tools or a system's message of a page, are
// no part of templates.
const mostTemplate = 1024

// moreThanAsked is by how many tokens the server counted a prompt longer than it was asked for, where both are known.
func moreThanAsked(m metrics.Measured) (tokens int, known bool) {
	if m.Found != metrics.OK || m.Usage.Prompt < 0 || m.AskedIn <= 0 {
		return 0, false
	}
	return prompts.Overhead([]int64{m.AskedIn}, []int64{m.Usage.Prompt})
}
