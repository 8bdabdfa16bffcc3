package llm

import (
	"context"
	"errors"
	"strings"

	"github.com/plumbline-ml/plumbline/datasets/prompts"
	"github.com/plumbline-ml/plumbline/plugins/internal/language"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// fillTemplate fills the template with a sample.
func (s *modelSettings) fillTemplate(t *prompts.PromptSample) string {
	if t.Whole {
		return t.Input
	}
	return strings.NewReplacer("{system}", t.System, "{instruction}", t.Instruction,
		"{input}", t.Input).Replace(s.Template)
}

// makePrompts makes and tokenizes the prompts of all samples on all cores. The error lists the samples from which no
// prompt can be made.
func makePrompts(ctx context.Context, s *modelSettings, t textTokenizer,
	items []prompts.PromptSample) (language.PreparedPrompts,
	error) {
	s.SetPadToken(t)
	return language.MakePrompts(ctx, len(items), func(i int) (backend.Prompt, bool, error) {
		return s.makePrompt(t, &items[i])
	})
}

// makePrompt makes the prompt of a sample, and reports whether it was truncated to the model's limit. Without a
// tokenizer, the prompt is text.
func (s *modelSettings) makePrompt(t textTokenizer, item *prompts.PromptSample) (p backend.Prompt, cut bool,
	err error) {
	p = s.Limits
	if t == nil {
		p.Text = s.fillTemplate(item)
		p.Messages = chatMessages(item, p.Text)
		p.EOS = nil
		if strings.TrimSpace(item.Input) == "" {
			return p, false, errors.New("it has no text; with tokenizer=server, prompts must be text")
		}
		return p, false, nil
	}
	p.Tokens = item.Tokens
	// the token IDs in a data set are those of the official tokenizer
	tokenize := s.Tokenizer == language.EmbeddedTokenizer && item.Input != ""
	if p.Tokens == nil || tokenize {
		p.Text = s.fillTemplate(item)
		p.Tokens = t.Encode(nil, p.Text)
	}
	if s.MaxPromptTokens > 0 && len(p.Tokens) > s.MaxPromptTokens {
		p.Tokens, p.Text, cut = p.Tokens[:s.MaxPromptTokens], "", true
	}
	return p, cut, language.CheckIDs(p.Tokens, t.Size())
}

// chatMessages returns a prompt as a chat. A data set's own system prompt becomes a separate message.
func chatMessages(item *prompts.PromptSample, whole string) []backend.ChatMessage {
	if item.System != "" && !item.Whole {
		return []backend.ChatMessage{{Role: "system", Content: item.System}, {Role: "user", Content: item.Input}}
	}
	return []backend.ChatMessage{{Role: "user", Content: whole}}
}
