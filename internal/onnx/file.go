package onnx

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
)

// ReadFile reads what the regular file at a path says, or, where the path is empty, the file whose bytes are data.
func ReadFile(path string, data []byte) (Model, error) {
	if path == "" {
		return Read(bytes.NewReader(data), int64(len(data)))
	}
	info, err := os.Stat(path)
	if err != nil {
		return Model{}, err
	}
	if !info.Mode().IsRegular() { // opening a pipe waits for a writer
		return Model{}, fmt.Errorf("%s is not a regular file: %w", path, fs.ErrInvalid)
	}
	f, err := os.Open(path)
	if err != nil {
		return Model{}, err
	}
	defer func() { _ = f.Close() }()
	return Read(f, info.Size())
}
