package onnx

import (
	"bytes"

	"github.com/plumbline-ml/plumbline/internal/bounded"
)

// mostFile is the size up to which a model file is looked at.
const mostFile = 16 << 30

// ReadFile reads what the file at a path says, or, where the path is empty, the file whose bytes are data.
func ReadFile(path string, data []byte) (Model, error) {
	if path == "" {
		return Read(bytes.NewReader(data), int64(len(data)))
	}
	f, err := bounded.OpenUpTo(path, mostFile)
	if err != nil {
		return Model{}, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return Model{}, err
	}
	return Read(f, info.Size())
}
