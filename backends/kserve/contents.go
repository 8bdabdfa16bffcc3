package kserve

import (
	"fmt"

	"github.com/plumbline-ml/plumbline/internal/oip"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// packContents returns the raw form of the elements in the field for a datatype. Half floats have no such field.
func packContents(datatype string, c *oip.InferTensorContents) ([]byte, error) {
	switch datatype {
	case "FP32":
		return backend.Bytes(c.GetFp32Contents()), nil
	case "FP64":
		return backend.Bytes(c.GetFp64Contents()), nil
	case "INT64":
		return backend.Bytes(c.GetInt64Contents()), nil
	case "UINT64":
		return backend.Bytes(c.GetUint64Contents()), nil
	case "INT32":
		return backend.Bytes(c.GetIntContents()), nil
	case "UINT32":
		return backend.Bytes(c.GetUintContents()), nil
	case "INT8":
		return packNarrow[int8](c.GetIntContents())
	case "INT16":
		return packNarrow[int16](c.GetIntContents())
	case "UINT8":
		return packNarrow[uint8](c.GetUintContents())
	case "UINT16":
		return packNarrow[uint16](c.GetUintContents())
	case "BOOL":
		return packBools(c.GetBoolContents()), nil
	case bytesDatatype:
		return rawTexts(c.GetBytesContents()), nil
	}
	return nil, fmt.Errorf("%s must be in raw contents", datatype)
}

// packNarrow packs integers into fewer bytes.
func packNarrow[T int8 | int16 | uint8 | uint16, W int32 | uint32](wide []W) ([]byte, error) {
	v := make([]T, len(wide))
	for i, w := range wide {
		if v[i] = T(w); W(v[i]) != w {
			return nil, fmt.Errorf("element %d is %d, out of the range of its datatype", i, w)
		}
	}
	return backend.Bytes(v), nil
}

func packBools(values []bool) []byte {
	data := make([]byte, len(values))
	for i, v := range values {
		if v {
			data[i] = 1
		}
	}
	return data
}
