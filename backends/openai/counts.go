package openai

import (
	"errors"
	"fmt"
	"strconv"
)

// ErrCount is a number of tokens that cannot be.
var ErrCount = errors.New("the server's count of tokens is wrong")

// checkCount returns an ErrCount where the server's count of an answer cannot be: no number of tokens, none beside
// tokens that came, or more than were allowed and came. Came is how many tokens were seen at least, as events or, of an
// answer in one piece, how many there may be, as bytes; most is how many were asked for at most, 0: any number.
func (u usageCounts) checkCount(came, most int) error {
	visible := u.completion
	if u.tells&tellsReasoning != 0 { // which some servers do not count against the limit
		visible -= min(u.reasoning, visible)
	}
	switch {
	case u.wrong != "":
		return fmt.Errorf("%w: %s", ErrCount, u.wrong)
	case u.known && u.completion == 0 && came > 0:
		return fmt.Errorf("%w: 0 tokens, of an answer that has some", ErrCount)
	case u.known && most > 0 && visible > int64(most) && visible > int64(came):
		return fmt.Errorf("%w: %d tokens, where at most %d were asked for", ErrCount, u.completion, most)
	}
	return nil
}

// maxTokensOf is how many tokens fields of a request allow its answer; 0: any number, or more than one answer.
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

// maxTokenEvents is how many events with tokens a stream may have of which so many tokens were asked for: some servers
// send more than they were asked for, and some a token in pieces, but none goes on for ever.
func maxTokenEvents(tokens int) int { return 4096 + 4*tokens }
