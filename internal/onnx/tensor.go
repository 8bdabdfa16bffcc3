package onnx

import (
	"fmt"
	"slices"
	"strings"
)

// Element types of TensorProto.DataType.
const (
	Float32 = 1
	Uint8   = 2
	Int32   = 6
	Int64   = 7
	Float16 = 10
)

// ElemName returns the name of an element type (TensorProto.DataType).
func ElemName(e int32) string {
	names := map[int32]string{
		Float32: "float32", Uint8: "uint8", 3: "int8", 4: "uint16", 5: "int16", Int32: "int32", Int64: "int64",
		8: "string", 9: "bool", Float16: "float16", 11: "float64", 12: "uint32", 13: "uint64", 16: "bfloat16",
	}
	if name := names[e]; name != "" {
		return name
	}
	return fmt.Sprintf("of type %d", e)
}

// String formats a value as "x float32 [N,3,224,224]"; a dimension without a size and a name is "?".
func (v Value) String() string {
	dims := make([]string, len(v.Dims))
	for i, d := range v.Dims {
		switch {
		case d.Size >= 0:
			dims[i] = fmt.Sprint(d.Size)
		case d.Name != "":
			dims[i] = d.Name
		default:
			dims[i] = "?"
		}
	}
	return fmt.Sprintf("%s %s [%s]", v.Name, ElemName(v.Elem), strings.Join(dims, ","))
}

// Fields of TensorProto, ValueInfoProto and TypeProto in onnx.proto, by number and wire type.
const (
	tensorName     = 8<<3 | wireBytes
	tensorExternal = 13<<3 | wireBytes

	entryKey   = 1<<3 | wireBytes
	entryValue = 2<<3 | wireBytes

	valueName = 1<<3 | wireBytes
	valueType = 2<<3 | wireBytes

	typeTensor = 1<<3 | wireBytes

	tensorTypeElem  = 1<<3 | wireVarint
	tensorTypeShape = 2<<3 | wireBytes

	shapeDim = 1<<3 | wireBytes

	dimSize = 1<<3 | wireVarint
	dimName = 2<<3 | wireBytes
)

// readInitializer records the name of a TensorProto and the file of its external data.
func (p *modelParser) readInitializer(f messageField) error {
	switch f.tag {
	case tensorName:
		name, err := f.textValue()
		p.filled[name] = true
		return err
	case tensorExternal:
		return p.readExternal(f)
	}
	return nil
}

// maxMetadata limits the number of metadata entries that are kept.
const maxMetadata = 64

// readMetadata keeps one entry of the model's metadata. Long values, such as whole files, are skipped.
func (p *modelParser) readMetadata(f messageField) error {
	if len(p.m.Metadata) >= maxMetadata || f.body.end-f.body.pos > maxName {
		return nil
	}
	key, value, err := f.readEntry()
	if p.m.Metadata == nil {
		p.m.Metadata = map[string]string{}
	}
	p.m.Metadata[key] = value
	return err
}

// readEntry reads a StringStringEntryProto.
func (f messageField) readEntry() (key, value string, err error) {
	err = f.body.eachField(func(f messageField) (err error) {
		switch f.tag {
		case entryKey:
			key, err = f.textValue()
		case entryValue:
			value, err = f.textValue()
		}
		return err
	})
	return key, value, err
}

// readExternal reads one entry of a tensor's external data. The key "location" names the file.
func (p *modelParser) readExternal(f messageField) error {
	key, value, err := f.readEntry()
	if key == "location" && !slices.Contains(p.m.External, value) {
		p.m.External = append(p.m.External, value)
	}
	return err
}

// readValue reads a ValueInfoProto and appends it to values.
func readValue(f messageField, to *[]Value) error {
	var v Value
	err := f.body.eachField(func(f messageField) (err error) {
		switch f.tag {
		case valueName:
			v.Name, err = f.textValue()
		case valueType:
			return f.body.eachField(v.readType)
		}
		return err
	})
	*to = append(*to, v)
	return err
}

// readType reads a TypeProto. Elem stays 0 for sequences, maps and other types.
func (v *Value) readType(f messageField) error {
	if f.tag == typeTensor {
		return f.body.eachField(v.readTensorType)
	}
	return nil
}

func (v *Value) readTensorType(f messageField) error {
	switch f.tag {
	case tensorTypeElem:
		v.Elem = int32(f.value)
	case tensorTypeShape:
		v.Ranked = true
		return f.body.eachField(v.readDim)
	}
	return nil
}

func (v *Value) readDim(f messageField) error {
	if f.tag != shapeDim {
		return nil
	}
	d := Dim{Size: -1}
	err := f.body.eachField(func(f messageField) (err error) {
		switch f.tag {
		case dimSize:
			d.Size = max(int64(f.value), -1)
		case dimName:
			d.Name, err = f.textValue()
		}
		return err
	})
	v.Dims = append(v.Dims, d)
	return err
}
