package reasoning

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// makePrompts makes the prompts of all rows. The error lists the rows from which no prompt can be made.
func (f modelFamily) makePrompts(
	ctx context.Context, s *modelSettings, t language.TextTokenizer, items []prompts.PromptSample,
) (language.PreparedPrompts, error) {
	s.SetPadToken(t)
	return language.MakePrompts(ctx, len(items), func(i int) (backend.Prompt, bool, error) {
		p, err := s.makePrompt(t, &items[i])
		p.Sampling = s.promptSampling(i)
		return p, false, err
	})
}

// makePrompt makes the prompt of a row. A row of text is filled into the template or, as a chat, becomes the single
// message of a user. A row of token IDs is a complete prompt.
func (s *modelSettings) makePrompt(t language.TextTokenizer, item *prompts.PromptSample) (p backend.Prompt, err error) {
	p = s.Limits
	switch {
	case item.Input != "":
		p.Text = strings.Replace(s.Template, "{input}", item.Input, 1)
		p.Messages = []backend.ChatMessage{{Role: "user", Content: item.Input}}
		if s.Template == promptTemplates["plain"] {
			p.Tokens = t.Encode(nil, p.Text)
		} else { // the chat template adds the surrounding tokens
			p.Tokens = t.EncodePlain(nil, p.Text)
		}
	case s.SentForm == asChat:
		return p, errors.New("it is token ids of a whole prompt, which a chat would put into a template once more: " +
			"send=ids or send=text")
	default:
		p.Tokens = item.Tokens
	}
	if err := s.checkTokenIDs(p.Tokens, t.Size()); err != nil {
		return p, err
	}
	return s.toSentPrompt(t, p)
}

// checkTokenIDs checks a prompt's token IDs against the vocabulary and the model's limit.
func (s *modelSettings) checkTokenIDs(ids []int32, vocabularySize int) error {
	if n := len(ids); s.MaxPromptTokens > 0 && n > s.MaxPromptTokens {
		return fmt.Errorf("its prompt has %d tokens, want at most %d (parameter max_prompt_tokens)", n, s.MaxPromptTokens)
	}
	return language.CheckIDs(ids, vocabularySize)
}

// toSentPrompt returns the part of a prompt that is sent to a server.
func (s *modelSettings) toSentPrompt(t language.TextTokenizer, p backend.Prompt) (backend.Prompt, error) {
	switch s.SentForm {
	case asText:
		if p.Text == "" {
			whole, ok := t.(interface {
				DecodeAll(ids []int32) (string, error)
			})
			if !ok {
				return p, errors.New("its ids cannot be written as text: the tokenizer is no tokenizer.json")
			}
			var err error
			if p.Text, err = whole.DecodeAll(p.Tokens); err != nil {
				return p, err
			}
		}
		p.Tokens, p.Messages = nil, nil
	case asChat:
		p.Tokens, p.Text = nil, ""
	}
	return p, nil
}
