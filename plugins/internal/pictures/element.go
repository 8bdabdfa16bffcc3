package pictures

import (
	"fmt"
	"math"

	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// ElementReader returns a reader of the parameter input_type, the element type of the model's input: float32, float16
// or uint8.
func ElementReader() option.ParamReader {
	return option.WordReader("input_type", map[string]backend.DType{
		"": backend.Float32, "float32": backend.Float32, "float16": backend.Float16, "uint8": backend.Uint8,
	})
}

// convertElements converts a picture's values to float16, rounded to nearest, or to uint8, which requires whole numbers
// from 0 to 255.
func convertElements(d backend.DType, dst []byte, values []float32) error {
	if d == backend.Float16 {
		half.Float16.Encode(dst, values)
		return nil
	}
	for i, v := range values {
		if !(v >= 0 && v <= math.MaxUint8) || v != float32(uint8(v)) {
			return fmt.Errorf("value %d is %v, and the model's input is uint8: want whole numbers from 0 to 255, as "+
				"preprocess=pixels makes them", i, v)
		}
		dst[i] = uint8(v)
	}
	return nil
}

// ConversionNote describes the conversion of the run's pictures, or returns "" if there is none.
func (in ModelInput) ConversionNote() string {
	if !in.needsConversion() {
		return ""
	}
	return fmt.Sprintf("the model's input is %v (input_type=%v): values of pictures are converted when they are loaded, "+
		"outside of the timed part", in.ElementType, in.ElementType)
}

// needsConversion reports whether values are converted after the recipe.
func (in ModelInput) needsConversion() bool {
	return in.ElementType != backend.InvalidDType && in.ElementType != backend.Float32
}

// ReadFloats returns the elements of a float32 output without copying, or of a float16 output. They are valid as long
// as the tensor.
func ReadFloats(t backend.Tensor) ([]float32, error) {
	switch {
	case t.DType == backend.Float32 && len(t.Data)%4 == 0:
		return backend.View[float32](t.Data), nil
	case t.DType == backend.Float16 && len(t.Data)%2 == 0:
		values := make([]float32, len(t.Data)/2)
		half.Float16.Decode(values, t.Data)
		return values, nil
	}
	return nil, fmt.Errorf("output %q is %v of %d bytes, want float32 or float16", t.Name, t.DType, len(t.Data))
}

// WideningWork describes the timed work of converting float16 outputs. For other outputs it returns nothing.
func WideningWork(outputs []backend.TensorInfo) (work []string) {
	for _, t := range outputs {
		if t.DType == backend.Float16 {
			work = append(work, fmt.Sprintf("output %q is float16, and is widened to float32", t.Name))
		}
	}
	return work
}
