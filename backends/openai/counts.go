package openai

import (
	"errors"
	"fmt"
	"strconv"
)

// ErrCount means that a token count is impossible.
var ErrCount = errors.New("the server's count of tokens is wrong")

// checkCount returns an ErrCount if the server's count of an answer is impossible: not a number of tokens, 0 although
// tokens arrived, or above both the requested maximum and the number that arrived. came is the minimum number of tokens
// that arrived, counted as events, or, for an unstreamed answer, the maximum number, counted as bytes. most is the
// requested maximum; 0: any number.
func (u usageCounts) checkCount(came, most int) error {
	visible := u.completion
	if u.reported&reportsReasoning != 0 { // some servers exclude reasoning from the limit
		visible -= min(u.reasoning, visible)
	}
	switch {
	case u.invalid != "":
		return fmt.Errorf("%w: %s", ErrCount, u.invalid)
	case u.known && u.completion == 0 && came > 0:
		return fmt.Errorf("%w: 0 tokens, of an answer that has some", ErrCount)
	case u.known && most > 0 && visible > int64(most) && visible > int64(came):
		return fmt.Errorf("%w: %d tokens, where at most %d were asked for", ErrCount, u.completion, most)
	}
	return nil
}

// maxTokensOf returns the maximum number of tokens that the fields of a request permit; 0: any number, or more than one
// answer.
func maxTokensOf(fields map[string][]byte) (most int) {
	for _, name := range []string{"n", "best_of"} {
		if text, ok := fields[name]; ok && string(text) != "1" && string(text) != "null" {
			return 0
		}
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		if n, err := strconv.Atoi(string(fields[name])); err == nil {
			most = max(most, n)
		}
	}
	return most
}

// maxTokenEvents returns the maximum number of events with tokens in a stream for which a number of tokens was
// requested. It is generous, because some servers send more tokens than requested or split tokens, but it detects
// endless streams.
func maxTokenEvents(tokens int) int { return 4096 + 4*tokens }
