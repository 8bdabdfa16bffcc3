package onnxfile

import (
	"encoding/binary"
	"math"
)

// Message is an encoded protocol buffer. Its methods append a field.
type Message []byte

// Int appends a number as a varint.
func (m Message) Int(field int, v int64) Message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), uint64(v))
}

// Float appends a float32.
func (m Message) Float(field int, v float32) Message {
	return binary.LittleEndian.AppendUint32(binary.AppendUvarint(m, uint64(field)<<3|5), math.Float32bits(v))
}

// Bytes appends an array of bytes or a message.
func (m Message) Bytes(field int, v []byte) Message {
	return append(binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3|2), uint64(len(v))), v...)
}

// Text appends a string.
func (m Message) Text(field int, v string) Message { return m.Bytes(field, []byte(v)) }
