package diffusion

import (
	"fmt"

	"gorgonia.org/tensor"
)

// EncodedPrompt is a text encoded by the two text encoders.
type EncodedPrompt struct {
	Hidden *tensor.Dense // (1, tokens, width): hidden states of both encoders, concatenated along the width
	Pooled *tensor.Dense // (1, width): embedding of the second encoder
}

// NewPrompt joins the encoders' outputs for a text: the hidden states before the last layer of each encoder, (1,
// tokens, width), and the text embedding of the second one, (1, width).
func NewPrompt(first, second, pooled *tensor.Dense) (EncodedPrompt, error) {
	a, b, p := first.Shape(), second.Shape(), pooled.Shape()
	if len(a) != 3 || len(b) != 3 || len(p) != 2 || a[0] != 1 || b[0] != 1 || p[0] != 1 || a[1] != b[1] {
		return EncodedPrompt{},
			fmt.Errorf("%w: hidden states of %v and %v and an embedding of %v, want (1, tokens, width) twice, "+
				"of as many tokens, and (1, width)", ErrShape, a, b, p)
	}
	hidden, err := first.Concat(2, second)
	if err != nil {
		return EncodedPrompt{}, fmt.Errorf("%w: hidden states of %v and %v: %w", ErrShape, a, b, err)
	}
	return EncodedPrompt{Hidden: hidden, Pooled: pooled}, nil
}

// stackTensors joins tensors along their first axis.
func stackTensors(parts []*tensor.Dense) (*tensor.Dense, error) {
	if len(parts) == 1 {
		return parts[0], nil
	}
	all, err := parts[0].Concat(0, parts[1:]...)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShape, err)
	}
	return all, nil
}

// sameShapes reports whether the shapes of two prompts are equal.
func (p EncodedPrompt) sameShapes(other EncodedPrompt) bool {
	return p.Hidden.Shape().Eq(other.Hidden.Shape()) && p.Pooled.Shape().Eq(other.Pooled.Shape())
}

// floatValues returns the elements of a tensor in C order.
func floatValues(t *tensor.Dense) []float32 { return t.Data().([]float32) }
