package onnx

import "slices"

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

// readExternal reads one entry of a tensor's external data. The key "location" names the file.
func (p *modelParser) readExternal(f messageField) error {
	var key, value string
	err := f.body.eachField(func(f messageField) (err error) {
		switch f.tag {
		case entryKey:
			key, err = f.textValue()
		case entryValue:
			value, err = f.textValue()
		}
		return err
	})
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
