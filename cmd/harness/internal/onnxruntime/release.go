package onnxruntime

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/onnxlib"
)

// product is the prefix of the version that the backend ort reports.
const product = "ONNX Runtime "

// Running returns the oldest ONNX Runtime release in the versions that backends report, or "" if there is none.
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

// Older reports whether a release is older than Newest. An empty release counts as older.
func Older(release string) bool { return onnxlib.Compare(release, Newest) < 0 }
