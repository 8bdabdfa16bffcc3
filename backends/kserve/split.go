package kserve

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/proto"

	"github.com/plumbline-ml/plumbline/backends/kserve/internal/oip"
)

// split tells the two messages that servers stream apart, and an error of one request from an answer. An answer that
// cannot be read has no id.
func split(m *oip.ModelStreamInferResponse) (id string, a answer) {
	if m.Id != "" || len(m.Outputs) > 0 {
		return m.Id, answer{response: &oip.ModelInferResponse{Id: m.Id, Outputs: m.Outputs, RawOutputContents: m.RawOutputContents}}
	}
	r := &oip.ModelInferResponse{}
	if err := proto.Unmarshal(m.InferResponse, r); err != nil {
		return "", answer{err: fmt.Errorf("a response that cannot be read: %w", err)}
	}
	if len(m.ErrorMessage) > 0 {
		return r.Id, answer{err: errors.New(string(m.ErrorMessage))}
	}
	return r.Id, answer{response: r}
}
