package sdxl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gorgonia.org/tensor"

	"github.com/plumbline-ml/plumbline/plugins/sdxl/internal/diffusion"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// textEncoders contains both text encoders of a worker.
type textEncoders struct{ first, second textEncoder }

func newEncoders(s sdk.Sessions) (*textEncoders, error) {
	first, err := newEncoder(s.Part(encoderPart), encoderPart)
	second, err2 := newEncoder(s.Part(encoder2Part), encoder2Part)
	if second != nil {
		if second.pooled = outputIndex(second.session, "text_embeds"); second.pooled < 0 {
			err2 = fmt.Errorf("%w: %s has no output text_embeds, the projected embedding of the text: it has %s", errParts,
				encoder2Part, joinNames(second.session.Outputs()))
		}
		second.width = s.Part(unetPart).Inputs()[3].Shape[1]
	}
	if err := errors.Join(err, err2); err != nil {
		return nil, err
	}
	return &textEncoders{*first, *second}, nil
}

// encodePrompt runs both encoders without a mask, so padding is encoded like text.
func (e *textEncoders) encodePrompt(ctx context.Context, s *captionSample) (diffusion.EncodedPrompt, error) {
	first, _, err := e.first.encodeText(ctx, s.ids[0])
	if err != nil {
		return diffusion.EncodedPrompt{}, fmt.Errorf("%s: %w", encoderPart, err)
	}
	second, pooled, err := e.second.encodeText(ctx, s.ids[1])
	if err != nil {
		return diffusion.EncodedPrompt{}, fmt.Errorf("%s: %w", encoder2Part, err)
	}
	return diffusion.NewPrompt(first, second, pooled)
}

// textEncoder is one of the text encoders. Its outputs include the hidden states of all layers. Those before the last
// layer are used.
type textEncoder struct {
	session        backend.Session
	hidden, pooled int   // indices of the outputs; pooled -1: none
	width          int64 // width of the pooled embedding if the file does not declare it; -1: unknown
	wideIDs        []int64
	outputs        []backend.Tensor
}

func newEncoder(s backend.Session, name string) (*textEncoder, error) {
	hidden := penultimateIndex(s.Outputs())
	if hidden < 0 {
		return nil, fmt.Errorf("%w: %s has no outputs hidden_states.0, hidden_states.1 and so on, of which the last but one "+
			"counts: it has %s; export it with its hidden states (optimum does, for --task text-to-image)", errParts, name,
			joinNames(s.Outputs()))
	}
	return &textEncoder{session: s, hidden: hidden, pooled: -1, outputs: make([]backend.Tensor, len(s.Outputs()))}, nil
}

// penultimateIndex returns the index of the hidden states before those of the last layer, according to the numbers in
// their names, or -1 if there are none.
func penultimateIndex(outputs []backend.TensorInfo) int {
	last, at := 0, map[int]int{}
	for i, o := range outputs {
		number, ok := strings.CutPrefix(o.Name, "hidden_states.")
		if n, err := strconv.Atoi(number); ok && err == nil && n >= 0 {
			last, at[n] = max(last, n), i
		}
	}
	if i, ok := at[last-1]; ok {
		return i
	}
	return -1
}

func outputIndex(s backend.Session, name string) int {
	return slices.IndexFunc(s.Outputs(), func(o backend.TensorInfo) bool { return o.Name == name })
}

func joinNames(infos []backend.TensorInfo) string {
	names := make([]string, len(infos))
	for i, o := range infos {
		names[i] = o.Name
	}
	return strings.Join(names, ", ")
}

// encodeText encodes a text. hidden is (1, tokens, width); pooled is the pooled embedding (1, width), or nil if there
// is none.
func (e *textEncoder) encodeText(ctx context.Context, ids []int32) (hidden, pooled *tensor.Dense, err error) {
	for i, info := range e.session.Outputs() {
		e.outputs[i] = outputTensor(info, e.outputShape(i, info.Shape, int64(len(ids)))...)
	}
	if err := e.session.Run(ctx, []backend.Tensor{e.inputTensor(ids)}, e.outputs); err != nil {
		return nil, nil, err
	}
	defer func() {
		for i := range e.outputs {
			e.outputs[i].Release()
		}
	}()
	if hidden, err = copyDense(&e.outputs[e.hidden], 3); err == nil && e.pooled >= 0 {
		pooled, err = copyDense(&e.outputs[e.pooled], 2)
	}
	return hidden, pooled, err
}

// outputShape returns the shape of output i for the given number of tokens. Unknown sides are -1.
func (e *textEncoder) outputShape(i int, declared []int64, tokens int64) []int64 {
	shape := append([]int64{1}, declared[min(1, len(declared)):]...)
	switch {
	case i == e.pooled && len(shape) == 2 && shape[1] < 0:
		shape[1] = e.width
	case len(shape) == 3:
		shape[1] = tokens
	}
	return shape
}

// inputTensor returns the token IDs in the type that the file requires.
func (e *textEncoder) inputTensor(ids []int32) backend.Tensor {
	in := backend.Tensor{Name: "input_ids", DType: e.session.Inputs()[0].DType, Shape: []int64{1, int64(len(ids))}}
	if in.DType == backend.Int32 {
		in.Data = backend.Bytes(ids)
		return in
	}
	e.wideIDs = e.wideIDs[:0]
	for _, id := range ids {
		e.wideIDs = append(e.wideIDs, int64(id))
	}
	in.DType, in.Data = backend.Int64, backend.Bytes(e.wideIDs)
	return in
}
