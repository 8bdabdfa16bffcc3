package language

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// tokenCounts contains the numbers of tokens in text answers, as counted by the tokenizer and by the server.
type tokenCounts struct {
	tokenizer, server atomic.Int64 // tokens of answers that both count
	uncounted         atomic.Int64 // number of answers that only the tokenizer counts
}

// errUncounted means that neither the server nor a tokenizer counts an answer's tokens.
var errUncounted = sdk.Usage(errors.New("the server counts no tokens (neither ids nor usage nor log probabilities), " +
	"and there is no tokenizer to count them by: give that of its model (--param tokenizer=FILE) for an estimate, or " +
	"have the server report them (--backend-opt count=logprobs)"))

// countTokens adds an answer with the tokenizer's and the server's counts, and returns the number of tokens that
// applies. If the server does not count, the answer must have p's minimum number of tokens.
func (c *tokenCounts) countTokens(tokenizerCount, serverCount int, p *backend.Prompt) (int, error) {
	switch {
	case serverCount == backend.Uncounted && tokenizerCount < p.MinNewTokens:
		return 0, sdk.Usage(fmt.Errorf("an answer has %d tokens by the tokenizer, the server counts none, and the prompt "+
			"wants at least %d; --param min_new_tokens=%d takes such answers", tokenizerCount, p.MinNewTokens, tokenizerCount))
	case serverCount == backend.Uncounted:
		c.uncounted.Add(1)
		return tokenizerCount, nil
	case serverCount <= 1: // only the first token
		return serverCount, nil
	case tokenizerCount == serverCount-1: // the end token has no text
		tokenizerCount = serverCount
	}
	c.tokenizer.Add(int64(tokenizerCount))
	c.server.Add(int64(serverCount))
	return serverCount, nil
}

// maxCountDifference is the largest accepted difference between the counts of the tokenizer and of the server over a
// run, as a share of the server's count.
const maxCountDifference = 0.02

// RunNotes returns notes about the source of the numbers of tokens if it is not the server, and about a difference of
// more than 2 % between the tokenizer's and the server's counts.
func (w *PromptWorkload) RunNotes() sdk.RunNotes {
	var m sdk.RunNotes
	c := &w.findings.counts
	if n := c.uncounted.Load(); n > 0 {
		m.Estimates = []string{fmt.Sprintf("tokens: the server counts none, so tokenizer %s counted them in the text of %d "+
			"answers, which shows no end tokens", w.Tokenizer, n)}
	}
	own, server := float64(c.tokenizer.Load()), float64(c.server.Load())
	if apart := own/server - 1; server > 0 && math.Abs(apart) > maxCountDifference {
		m.Notes = []string{fmt.Sprintf("Tokenizer %s counts %.0f tokens in the answers, and the server %.0f: %+.1f %%. Give "+
			"the tokenizer of the server's model; figures of tokens are the server's.",
			w.Tokenizer, own, server, 100*apart)}
	}
	return m
}
