package generate

import (
	"errors"
	"fmt"
	"maps"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// decoderModel implements sequenceModel for a model without an encoder.

func (d *decoderModel) newRunner() modelRunner { return newRunner(d, d.session) }
func (d *decoderModel) newMemory() rowMemory   { return newCache(d) }
func (d *decoderModel) allowsLateJoin() bool   { return true }
func (d *decoderModel) takesAudio() bool       { return false }
func (d *decoderModel) close() error           { return d.session.Close() }

func (d *decoderModel) canJoin(memorySize, memorySize, bool, bool) bool { return true }
func (d *decoderModel) levelSizes([]*sequence, memorySize)              {}

func (d *decoderModel) begin(s *sequence) (memorySize, error) {
	n := len(s.prompt.Tokens)
	return memorySize{prompt: n, tokens: n + s.prompt.MaxNewTokens}, nil
}

// rowBytes includes the columns by which a cache may exceed the requirement, and their slack.
func (d *decoderModel) rowBytes(s memorySize) int64 {
	return int64(maxWidth(s.tokens)+1+slackColumns) * int64(d.tokenBytes())
}

func (d *decoderModel) promptFaults(p *backend.Prompt) []error {
	var faults []error
	if len(p.Tokens) == 0 {
		faults = append(faults, errors.New("it has no tokens; this generator takes nothing else"))
	}
	if err := checkTokens(p.Tokens, d.vocab); err != nil {
		faults = append(faults, err)
	}
	return append(faults, checkPadToken(p, d.vocab)...)
}

func checkPadToken(p *backend.Prompt, vocab int) []error {
	if err := checkTokens([]int32{p.PadToken}, vocab); err != nil {
		return []error{fmt.Errorf("padding: %w", err)}
	}
	return nil
}

// checkTokens returns an error for the first token outside the vocabulary. vocab 0 means that its size is not known.
func checkTokens(ids []int32, vocab int) error {
	for i, id := range ids {
		if id < 0 || vocab > 0 && int(id) >= vocab {
			return fmt.Errorf("token %d is %d, want one of [0, %d)", i, id, vocab)
		}
	}
	return nil
}

func (d *decoderModel) describe() backend.Info {
	info := describeSession(d.session)
	info.Details["kv_cache_bytes_per_token"] = fmt.Sprint(d.tokenBytes())
	return info
}

// describeSession returns a session's description with a copy of its details, which the caller may extend.
func describeSession(s backend.Session) backend.Info {
	var info backend.Info
	if d, ok := s.(backend.Describer); ok {
		info = d.Describe()
	}
	details := make(map[string]string, len(info.Details)+4)
	maps.Copy(details, info.Details)
	info.Details = details
	return info
}
