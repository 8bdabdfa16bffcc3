package generate

import (
	"errors"
	"fmt"
	"maps"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// A decoder is a model without an encoder.

func (d *decoder) newRunner() runner { return newRunner(d, d.session) }
func (d *decoder) newMemory() memory { return newCache(d) }
func (d *decoder) joinsLater() bool  { return true }
func (d *decoder) takesAudio() bool  { return false }
func (d *decoder) close() error      { return d.session.Close() }

func (d *decoder) joins(size, size, bool, bool) bool { return true }
func (d *decoder) level([]*sequence, size)           {}

func (d *decoder) begin(s *sequence) (size, error) {
	n := len(s.prompt.Tokens)
	return size{prompt: n, tokens: n + s.prompt.MaxNewTokens}, nil
}

// rowBytes counts the columns that a cache may grow to beyond need, and their slack.
func (d *decoder) rowBytes(s size) int64 {
	return int64(columns(s.tokens)+1+slackColumns) * int64(d.tokenBytes())
}

func (d *decoder) faults(p *backend.Prompt) []error {
	var faults []error
	if len(p.Tokens) == 0 {
		faults = append(faults, errors.New("it has no tokens; this generator takes nothing else"))
	}
	if err := checkTokens(p.Tokens, d.vocab); err != nil {
		faults = append(faults, err)
	}
	return append(faults, checkPad(p, d.vocab)...)
}

func checkPad(p *backend.Prompt, vocab int) []error {
	if err := checkTokens([]int32{p.PadToken}, vocab); err != nil {
		return []error{fmt.Errorf("padding: %w", err)}
	}
	return nil
}

// checkTokens finds the first token that a vocabulary lacks; 0: its size is not known.
func checkTokens(ids []int32, vocab int) error {
	for i, id := range ids {
		if id < 0 || vocab > 0 && int(id) >= vocab {
			return fmt.Errorf("token %d is %d, want one of [0, %d)", i, id, vocab)
		}
	}
	return nil
}

func (d *decoder) describe() backend.Info {
	info := describe(d.session)
	info.Details["kv_cache_bytes_per_token"] = fmt.Sprint(d.tokenBytes())
	return info
}

// describe is what a session says of itself, with details that may be added to.
func describe(s backend.Session) backend.Info {
	var info backend.Info
	if d, ok := s.(backend.Describer); ok {
		info = d.Describe()
	}
	details := make(map[string]string, len(info.Details)+4)
	maps.Copy(details, info.Details)
	info.Details = details
	return info
}
