package backend

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrTensors is wrapped by every error of Bind.
var ErrTensors = errors.New("the model's tensors are not what the benchmark needs")

// Bind finds each wanted tensor among the model's: by name or alias, or by position if the wanted name is empty. It
// returns the index in have of each tensor, or one error that lists all missing names, wrong dtypes and wrong shapes.
// kind is "input" or "output", for the message. If want is empty, it binds all tensors in order.
func Bind(kind string, want, have []TensorInfo) ([]int, error) {
	if len(want) == 0 {
		all := make([]int, len(have))
		for i := range all {
			all[i] = i
		}
		return all, nil
	}
	index := make([]int, len(want))
	var faults []string
	for i, w := range want {
		j := findTensor(w, i, have)
		index[i] = j
		switch {
		case j < 0:
			faults = append(faults, fmt.Sprintf("%s %s is missing", kind, w.nameText()))
		case !w.takesDType(have[j].DType):
			faults = append(faults, fmt.Sprintf("%s %q is %v, want %s", kind, have[j].Name, have[j].DType, w.dtypeText()))
		case !w.fitsShape(have[j].Shape):
			faults = append(faults, fmt.Sprintf("%s %q has shape %s, want %s", kind, have[j].Name, ShapeString(have[j].Shape),
				ShapeString(w.Shape)))
		}
	}
	if len(faults) == 0 {
		return index, nil
	}
	names := make([]string, min(len(have), maxNamed))
	for i := range names {
		names[i] = have[i].String()
	}
	if more := len(have) - len(names); more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%w: %s; the backend lists no %ss of the model", ErrTensors, strings.Join(faults, "; "), kind)
	}
	return nil, fmt.Errorf("%w: %s; the model has %ss %s%s", ErrTensors, strings.Join(faults, "; "), kind,
		strings.Join(names, ", "), choiceHint(want))
}

// maxNamed is the maximum number of a model's tensors that an error lists. A decoder with many layers has some hundred.
const maxNamed = 500

// takesDType reports whether a benchmark accepts tensors of type d.
func (t TensorInfo) takesDType(d DType) bool {
	return t.DType == InvalidDType || t.DType == d || slices.Contains(t.Also, d)
}

// fitsShape reports whether a benchmark accepts tensors of a shape.
func (t TensorInfo) fitsShape(shape []int64) bool {
	for t.TrailingOnes && len(shape) > len(t.Shape) && shape[len(shape)-1] == 1 {
		shape = shape[:len(shape)-1]
	}
	return shapesCompatible(t.Shape, shape)
}

// dtypeText lists all accepted element types for messages.
func (t TensorInfo) dtypeText() string {
	text := t.DType.String()
	for _, d := range t.Also {
		text += " or " + d.String()
	}
	return text
}

// choiceHint explains how a user chooses other tensors.
func choiceHint(want []TensorInfo) string {
	var ways []string
	for _, w := range want {
		if w.Chosen != "" && !slices.Contains(ways, w.Chosen) {
			ways = append(ways, w.Chosen)
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "; choose with " + strings.Join(ways, "; ")
}

func findTensor(want TensorInfo, position int, have []TensorInfo) int {
	if want.Name == "" {
		if position < len(have) {
			return position
		}
		return -1
	}
	for j, h := range have {
		if h.Name == want.Name || slices.Contains(want.Aliases, h.Name) {
			return j
		}
	}
	return -1
}

// nameText lists all accepted names of the tensor for messages.
func (t TensorInfo) nameText() string {
	names := fmt.Sprintf("%q", t.Name)
	for _, alias := range t.Aliases {
		names += fmt.Sprintf(" or %q", alias)
	}
	return names
}

// shapesCompatible reports whether two shapes can be equal. -1 on either side matches any size. A nil want matches any
// shape.
func shapesCompatible(want, have []int64) bool {
	if want == nil {
		return true
	}
	if len(want) != len(have) {
		return false
	}
	for i := range want {
		if want[i] >= 0 && have[i] >= 0 && want[i] != have[i] {
			return false
		}
	}
	return true
}

// String formats a tensor as name dtype[shape].
func (t TensorInfo) String() string {
	return fmt.Sprintf("%s %v%s", t.Name, t.DType, ShapeString(t.Shape))
}

// ShapeString formats a shape as [N,3,224,224], with N for free dimensions.
func ShapeString(shape []int64) string {
	const most = 64 // dimensions: more than any tensor has, but a foreign file may claim more
	parts := make([]string, min(len(shape), most))
	for i := range parts {
		parts[i] = fmt.Sprint(shape[i])
		if shape[i] < 0 {
			parts[i] = "N"
		}
	}
	if len(shape) > most {
		parts = append(parts, fmt.Sprintf("... of %d dimensions", len(shape)))
	}
	return "[" + strings.Join(parts, ",") + "]"
}
