package dice

import (
	"math"

	"github.com/plumbline-ml/plumbline/accuracy"
)

// DTypes are the element types of payloads that the official script accepts, its default first.
func DTypes() accuracy.DTypeList {
	return accuracy.DTypeList{
		accuracy.UInt8, accuracy.Int8, accuracy.Int16, accuracy.Int32, accuracy.Int64, accuracy.Float16, accuracy.Float32,
		accuracy.Float64,
	}
}

// wrong stands for every value that is no class.
const wrong = math.MaxUint8

// convertClasses converts elements, len(classes) of them, to classes. Fractions are cut off.
func convertClasses(d accuracy.DType, classes, data []byte) {
	for i := range classes {
		classes[i] = wrong // which NaN stays
		if v := d.At(data, i); v > -1 && v < wrong {
			classes[i] = byte(v)
		}
	}
}
