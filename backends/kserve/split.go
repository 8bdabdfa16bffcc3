package kserve

import (
	"errors"

	"github.com/plumbline-ml/plumbline/internal/oip"
)

// splitResponse distinguishes an error of one request from an answer and returns the request's id.
//
// MLServer has a call of the same name that streams answers without an enclosing message. It gives all of them the id
// of the stream's first request and therefore does not support many requests.
func splitResponse(m *oip.ModelStreamInferResponse) (id string, a streamAnswer) {
	id = m.InferResponse.GetId()
	switch {
	case len(m.ProtoReflect().GetUnknown()) > 0:
		return "", streamAnswer{err: errors.New("the server's streams are another kind than Triton's (option stream=off)")}
	case m.ErrorMessage != "":
		return id, streamAnswer{err: errors.New(m.ErrorMessage)}
	case m.InferResponse == nil:
		return "", streamAnswer{err: errors.New("an empty answer")}
	}
	return id, streamAnswer{response: m.InferResponse}
}
