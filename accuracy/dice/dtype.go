package dice

import (
	"math"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// DTypes returns the element types of payloads that the official script accepts, starting with its default.
func DTypes() accuracy.DTypeList {
	return accuracy.DTypeList{
		accuracy.UInt8, accuracy.Int8, accuracy.Int16, accuracy.Int32, accuracy.Int64, accuracy.Float16, accuracy.Float32,
		accuracy.Float64,
	}
}

// invalidClass replaces every value that is not a class.
const invalidClass = math.MaxUint8

// convertClasses converts len(classes) elements to classes. It truncates fractions.
func convertClasses(d accuracy.DType, classes, data []byte) {
	for i := range classes {
		classes[i] = invalidClass // remains if the value is NaN
		if v := d.At(data, i); v > -1 && v < invalidClass {
			classes[i] = byte(v)
		}
	}
}
