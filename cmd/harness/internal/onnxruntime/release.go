package onnxruntime

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/onnxlib"
)

// versionPrefix is the prefix of the version that the backend ort reports.
const versionPrefix = "ONNX Runtime "

// OldestRunning returns the oldest ONNX Runtime release in the versions that backends report, or "" if there is none.
func OldestRunning(versions []string) string {
	oldest := ""
	for _, v := range versions {
		release, is := strings.CutPrefix(v, versionPrefix)
		if is && (oldest == "" || onnxlib.CompareReleases(release, oldest) < 0) {
			oldest = release
		}
	}
	return oldest
}

// IsOlder reports whether a release is older than Newest. An empty release counts as older.
func IsOlder(release string) bool { return onnxlib.CompareReleases(release, NewestRelease) < 0 }
