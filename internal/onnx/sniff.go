package onnx

import (
	"bytes"
	"errors"
	"io"
)

// ortFormat is sniffKind's result for a model in ONNX Runtime's own format.
const ortFormat = "a model in ORT format"

// kinds lists files that users mistake for a model: models of other frameworks and results of failed downloads.
var kinds = []struct {
	offset int
	magic  string
	kind   string
}{
	{4, "ORTM", ortFormat},
	{4, "TFL3", "a TensorFlow Lite model; convert it to ONNX"},
	{0, "PK\x03\x04", "a zip archive (PyTorch's .pt, NumPy's .npz); unpack it, or export the model to ONNX"},
	{0, "\x1f\x8b", "a gzip archive; unpack it"},
	{0, "\x89HDF\r\n", "an HDF5 file (Keras); convert it to ONNX"},
	{0, "\x80\x02", "a Python pickle; export the model to ONNX"},
	{0, "version https://git-lfs", "a Git LFS pointer; fetch the file itself with git lfs pull"},
	{0, "<!DOCTYPE", "a web page; the download failed"},
	{0, "<html", "a web page; the download failed"},
}

// sniffKind returns the kind of a file that does not begin like an ONNX model, or "".
func sniffKind(r io.ReaderAt, size int64) (string, error) {
	head := make([]byte, min(size, 32))
	if n, err := r.ReadAt(head, 0); n < len(head) && !errors.Is(err, io.EOF) {
		return "", err
	}
	for _, k := range kinds {
		if len(head) > k.offset && bytes.HasPrefix(head[k.offset:], []byte(k.magic)) {
			return k.kind, nil
		}
	}
	return "", nil
}
