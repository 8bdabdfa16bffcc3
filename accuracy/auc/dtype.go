package auc

import "github.com/plumbline-ml/plumbline/accuracy/internal/payload"

// DType is the element type of the payloads. The zero value means Float32, the official default.
type DType = payload.DType

// The element types that the official script accepts, all little endian.
const (
	Float32 = payload.Float32
	Int32   = payload.Int32
	Int64   = payload.Int64
)

// dtypes are those types, the default first.
func dtypes() []DType { return []DType{Float32, Int32, Int64} }

// ParseDType reads a name as String prints it; the empty name means Float32.
func ParseDType(name string) (DType, error) { return payload.Parse(name, dtypes()...) }
