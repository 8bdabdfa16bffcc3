package onnxruntime

import (
	"slices"
	"strconv"
	"strings"
)

// product begins what the backend ort says of its version.
const product = "ONNX Runtime "

// Running is the oldest ONNX Runtime's release among the versions that backends say they are;
// empty where there is none.
func Running(versions []string) string {
	oldest := ""
	for _, v := range versions {
		release, is := strings.CutPrefix(v, product)
		if is && (oldest == "" || compare(release, oldest) < 0) {
			oldest = release
		}
	}
	return oldest
}

// Older reports whether a release is known to be older than Newest; an empty one, that of no library, is.
func Older(release string) bool { return compare(release, Newest) < 0 }

// compare orders releases by their numbers.
func compare(a, b string) int { return slices.Compare(numbers(a), numbers(b)) }

// numbers are a release's, up to the first part that is none.
func numbers(release string) (all []int) {
	for part := range strings.SplitSeq(release, ".") {
		n, err := strconv.Atoi(part)
		if err != nil {
			break
		}
		all = append(all, n)
	}
	return all
}
