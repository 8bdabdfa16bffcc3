package sequence

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// ErrOutput is wrapped by every error about a model's output.
var ErrOutput = errors.New("the model's output is not logits of the batch")

// Logits returns the values of an output of n samples with values for each position: float32 [n,S], or more dimensions.
// t owns them. what is their name in errors: "start logits".
func Logits(t backend.Tensor, n int, what string) ([]float32, error) {
	if t.DType != backend.Float32 || len(t.Shape) < 2 || t.Shape[0] != int64(n) || len(t.Data) == 0 ||
		backend.Elements(t.Shape)*4 != int64(len(t.Data)) || len(t.Data)%(4*n) != 0 {
		return nil, fmt.Errorf("%s: %w: %v%s of %d bytes, want float32[%d,S]", what, ErrOutput, t.DType,
			backend.ShapeString(t.Shape), len(t.Data), n)
	}
	return backend.View[float32](t.Data), nil
}

// AllLogits returns the logits of several outputs with the same number of values, in the order of names ("start",
// "end").
func AllLogits(outputs []backend.Tensor, n int, names ...string) ([][]float32, error) {
	if len(outputs) != len(names) {
		return nil, fmt.Errorf("%w: %d outputs, want %s logits", ErrOutput, len(outputs), strings.Join(names, " and "))
	}
	all := make([][]float32, len(names))
	for i, t := range outputs {
		var err error
		if all[i], err = Logits(t, n, names[i]+" logits"); err != nil {
			return nil, err
		}
	}
	for _, values := range all {
		if len(values) != len(all[0]) {
			return nil, fmt.Errorf("%w: %s logits", ErrOutput, countText(all, names))
		}
	}
	return all, nil
}

// countText lists the number of logits of each name.
func countText(all [][]float32, names []string) string {
	parts := make([]string, len(all))
	for i, values := range all {
		parts[i] = fmt.Sprintf("%d %s", len(values), names[i])
	}
	return strings.Join(parts, " and ")
}
