package wer

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/internal/pystr"
)

// DTypes returns the element types of payloads that the official scripts accept, starting with their default. The
// scripts' "int32" is Int64 here, because it reads 8 bytes on 64-bit Linux.
func DTypes() accuracy.DTypeList {
	return accuracy.DTypeList{accuracy.Int64, accuracy.Int32, accuracy.Int16, accuracy.Int8}
}

// The characters that the label numbers of payloads represent, from 0.
const (
	rnntLabels    = " abcdefghijklmnopqrstuvwxyz'"
	whisperLabels = rnntLabels + "0123456789$%+-"
)

// decodeLabels returns the text of a payload of label numbers.
func decodeLabels(labels string, dtype accuracy.DType, data []byte) (string, error) {
	size := dtype.Size()
	if dtype == accuracy.Int32 {
		size = accuracy.Int64.Size()
	}
	if len(data)%size != 0 {
		return "", fmt.Errorf("%w: %d bytes, want a multiple of %d for dtype %v; was the log written with another dtype?",
			ErrPayload, len(data), size, dtype)
	}
	var text strings.Builder
	for ; len(data) > 0; data = data[size:] {
		label := labelNumber(data[:size])
		if label < 0 || label >= int64(len(labels)) {
			return "", fmt.Errorf("%w: label %d, want 0 to %d", ErrPayload, label, len(labels)-1)
		}
		text.WriteByte(labels[label])
	}
	return text.String(), nil
}

func labelNumber(b []byte) int64 {
	switch len(b) {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

// keepLabels removes the characters that are not labels.
func keepLabels(labels, text string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(labels, r) {
			return r
		}
		return -1
	}, text)
}

// EncodePayload returns the payload for a text of Whisper's decoder: little-endian int64 label numbers of the trimmed
// lower-case text, without characters that are not labels.
func EncodePayload(text string) []byte {
	text = keepLabels(whisperLabels, pystr.Trim(pystr.Lower(text)))
	data := make([]byte, 0, 8*len(text))
	for i := range len(text) {
		data = binary.LittleEndian.AppendUint64(data, uint64(strings.IndexByte(whisperLabels, text[i])))
	}
	return data
}
