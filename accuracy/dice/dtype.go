package dice

import (
	"math"

	"github.com/plumbline-ml/plumbline/accuracy/payload"
)

// DTypes are the element types of payloads that the official script accepts, its default first.
func DTypes() payload.DTypeList {
	return payload.DTypeList{
		payload.UInt8, payload.Int8, payload.Int16, payload.Int32, payload.Int64, payload.Float16, payload.Float32,
		payload.Float64,
	}
}

// wrong stands for every value that is no class.
const wrong = math.MaxUint8

// convertClasses converts elements, len(classes) of them, to classes. Fractions are cut off.
func convertClasses(d payload.DType, classes, data []byte) {
	for i := range classes {
		classes[i] = wrong // which NaN stays
		if v := d.At(data, i); v > -1 && v < wrong {
			classes[i] = byte(v)
		}
	}
}
