package onnx

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
)

// ReadFile reads the signature of the model in a regular file. If the path is empty, it reads the model in data.
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
