package generate

import "github.com/plumbline-ml/plumbline/sdk/backend"

// answerLimits contains the lengths of an answer, its end tokens, and the tokens that it cannot contain.
type answerLimits struct {
	minTokens, maxTokens int
	endTokens            []int32
	banned               []int32 // ends and tokens that are never generated
	forceEnd             bool    // the token at position maxTokens is an end token
	renormalize          bool
	hasLogProbs          bool // the model returns log probabilities
}

// newAnswerLimits copies a prompt's limits.
func newAnswerLimits(p *backend.Prompt, o GeneratorOptions) answerLimits {
	ends := append([]int32(nil), p.EOS...)
	return answerLimits{
		minTokens: p.MinNewTokens, maxTokens: p.MaxNewTokens, endTokens: ends, banned: append(ends[:len(ends):len(ends)],
			o.Never...),
		forceEnd: o.ForceEnd && len(ends) > 0, renormalize: o.Renormalize, hasLogProbs: o.hasLogProbs,
	}
}

// bannedTokens returns the tokens that cannot continue an answer of n tokens: those that are never generated, and the
// end tokens while the answer is too short to end.
func (l *answerLimits) bannedTokens(n int) []int32 {
	if n < l.minTokens {
		return l.banned
	}
	return l.banned[len(l.endTokens):]
}

// mustEnd reports whether the token after n others must be the end token, independently of the model.
func (l *answerLimits) mustEnd(n int) bool { return l.forceEnd && n == l.maxTokens-1 }

// bestToken returns the most probable token that can continue an answer of n tokens.
func (l *answerLimits) bestToken(logits []float32, n int) (int32, error) {
	if l.mustEnd(n) {
		return l.endTokens[0], nil
	}
	return argmax(logits, l.bannedTokens(n))
}

// allowedScores returns the model's scores of the tokens that may follow n others. It changes logits.
func (l *answerLimits) allowedScores(logits []float32, n int) (tokenScores, error) {
	if l.mustEnd(n) {
		return certainToken(logits, l.endTokens[0]), nil
	}
	r, err := newTokenScores(logits, l.hasLogProbs)
	if err != nil {
		return tokenScores{}, err
	}
	if l.renormalize {
		r.toLogProbs()
	}
	r.banTokens(l.bannedTokens(n))
	if l.renormalize {
		return newTokenScores(r.values, false)
	}
	return r, nil
}
