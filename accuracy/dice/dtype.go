package dice

import (
	"math"

	"github.com/plumbline-ml/plumbline/accuracy/internal/payload"
)

// DType is the element type of the payloads. The zero value means UInt8, the official default.
type DType = payload.DType

// The element types that the official script accepts, all little endian.
const (
	UInt8   = payload.UInt8
	Int8    = payload.Int8
	Int16   = payload.Int16
	Int32   = payload.Int32
	Int64   = payload.Int64
	Float16 = payload.Float16
	Float32 = payload.Float32
	Float64 = payload.Float64
)

// dtypes are those types, the default first.
func dtypes() []DType { return []DType{UInt8, Int8, Int16, Int32, Int64, Float16, Float32, Float64} }

// ParseDType reads a name as String prints it; the empty name means UInt8.
func ParseDType(name string) (DType, error) { return payload.Parse(name, dtypes()...) }

// wrong stands for every value that is no class.
const wrong = math.MaxUint8

// narrow converts elements, len(classes) of them, to classes. Fractions are cut off.
func narrow(d DType, classes, data []byte) {
	for i := range classes {
		classes[i] = wrong // which NaN stays
		if v := d.At(data, i); v > -1 && v < wrong {
			classes[i] = byte(v)
		}
	}
}
