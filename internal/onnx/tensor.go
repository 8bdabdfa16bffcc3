package onnx

import "slices"

// Field numbers of TensorProto, ValueInfoProto and TypeProto in onnx.proto.
const (
	tensorName     = 8
	tensorExternal = 13

	entryKey   = 1
	entryValue = 2

	valueName = 1
	valueType = 2

	typeTensor = 1

	tensorTypeElem  = 1
	tensorTypeShape = 2

	shapeDim = 1

	dimSize = 1
	dimName = 2
)

// initializer notes the name of a TensorProto and the file its data are in.
func (p *parser) initializer(number uint64, wire int, c *cursor) (read bool, err error) {
	switch {
	case number == tensorName && wire == wireBytes:
		name, err := c.text()
		p.filled[name] = true
		return true, err
	case number == tensorExternal && wire == wireBytes:
		return true, p.external(c)
	}
	return false, nil
}

// external reads one key and value of a tensor's external data; "location" is the file.
func (p *parser) external(c *cursor) error {
	var key, value string
	err := p.inside(c, func(number uint64, wire int, c *cursor) (read bool, err error) {
		switch {
		case number == entryKey && wire == wireBytes:
			key, err = c.text()
			return true, err
		case number == entryValue && wire == wireBytes:
			value, err = c.text()
			return true, err
		}
		return false, nil
	})
	if key == "location" && !slices.Contains(p.m.External, value) {
		p.m.External = append(p.m.External, value)
	}
	return err
}

// readValue reads a ValueInfoProto.
func readValue(c *cursor) (Value, error) {
	var v Value
	m, err := c.message()
	if err != nil {
		return v, err
	}
	err = m.each(func(number uint64, wire int, c *cursor) (read bool, err error) {
		switch {
		case number == valueName && wire == wireBytes:
			v.Name, err = c.text()
			return true, err
		case number == valueType && wire == wireBytes:
			return true, v.readType(c)
		}
		return false, nil
	})
	return v, err
}

// readType reads a TypeProto. Sequences, maps and the like leave Elem at 0.
func (v *Value) readType(c *cursor) error {
	m, err := c.message()
	if err != nil {
		return err
	}
	return m.each(func(number uint64, wire int, c *cursor) (bool, error) {
		if number != typeTensor || wire != wireBytes {
			return false, nil
		}
		t, err := c.message()
		if err != nil {
			return true, err
		}
		return true, t.each(v.readTensorType)
	})
}

func (v *Value) readTensorType(number uint64, wire int, c *cursor) (bool, error) {
	switch {
	case number == tensorTypeElem && wire == wireVarint:
		elem, err := c.varint()
		v.Elem = int32(elem)
		return true, err
	case number == tensorTypeShape && wire == wireBytes:
		v.Ranked = true
		m, err := c.message()
		if err != nil {
			return true, err
		}
		return true, m.each(v.readDim)
	}
	return false, nil
}

func (v *Value) readDim(number uint64, wire int, c *cursor) (bool, error) {
	if number != shapeDim || wire != wireBytes {
		return false, nil
	}
	m, err := c.message()
	if err != nil {
		return true, err
	}
	d := Dim{Size: -1}
	err = m.each(func(number uint64, wire int, c *cursor) (read bool, err error) {
		switch {
		case number == dimSize && wire == wireVarint:
			size, err := c.varint()
			d.Size = max(int64(size), -1)
			return true, err
		case number == dimName && wire == wireBytes:
			d.Name, err = c.text()
			return true, err
		}
		return false, nil
	})
	v.Dims = append(v.Dims, d)
	return true, err
}
