package onnxruntime

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/onnxlib"
)

// product begins what the backend ort says of its version.
const product = "ONNX Runtime "

// Running is the oldest ONNX Runtime's release among the versions that backends say they are;
// empty where there is none.
func Running(versions []string) string {
	oldest := ""
	for _, v := range versions {
		release, is := strings.CutPrefix(v, product)
		if is && (oldest == "" || onnxlib.Compare(release, oldest) < 0) {
			oldest = release
		}
	}
	return oldest
}

// Older reports whether a release is known to be older than Newest; an empty one, that of no library, is.
func Older(release string) bool { return onnxlib.Compare(release, Newest) < 0 }
