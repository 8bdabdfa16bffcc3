package onnxfile

import (
	"encoding/binary"
	"math"
)

// message is an encoded protocol buffer.
type message []byte

// integer appends a number, which ONNX has as varints only.
func (m message) integer(field int, v int64) message {
	return binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3), uint64(v))
}

// float appends a float32.
func (m message) float(field int, v float32) message {
	return binary.LittleEndian.AppendUint32(binary.AppendUvarint(m, uint64(field)<<3|5), math.Float32bits(v))
}

// bytes appends a string, an array of bytes or a message.
func (m message) bytes(field int, v []byte) message {
	return append(binary.AppendUvarint(binary.AppendUvarint(m, uint64(field)<<3|2), uint64(len(v))), v...)
}

func (m message) text(field int, v string) message { return m.bytes(field, []byte(v)) }
