package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// fileVersion identifies the version of a file on the server.
type fileVersion struct {
	URL          string `json:"url"`
	ETag         string `json:"etag"`
	LastModified string `json:"last_modified"`
	Total        int64  `json:"total"` // bytes of the whole file; 0: unknown
}

// versionOf returns the version in a response. start is the offset of the response's first byte.
func versionOf(f File, resp *http.Response, start int64) fileVersion {
	v := fileVersion{URL: f.URL, ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified")}
	if resp.ContentLength >= 0 {
		v.Total = start + resp.ContentLength
	}
	return v
}

// rangeValidator returns the value for If-Range: a strong ETag or the time of the last change. A weak ETag does not
// guarantee equal bytes.
func (v fileVersion) rangeValidator() string {
	if v.ETag != "" && !strings.HasPrefix(v.ETag, "W/") {
		return v.ETag
	}
	return v.LastModified
}

// mayMatch reports whether the version of a later response may have the same bytes.
func (v fileVersion) mayMatch(other fileVersion) bool {
	return v.ETag == other.ETag && v.LastModified == other.LastModified &&
		(v.Total == 0 || other.Total == 0 || v.Total == other.Total)
}

// isComplete reports whether n bytes are the whole file.
func (v fileVersion) isComplete(f File, n int64) bool {
	return n > 0 && (n == v.Total || n == f.Size)
}

// readVersion returns the version and the size of the part file. It deletes a part that cannot be resumed because it
// comes from another address, is longer than the whole, or has an unknown version and no sha256 to check.
func readVersion(f File, p cachePaths) (fileVersion, int64, error) {
	n, err := partSize(p)
	if err != nil || n == 0 {
		return fileVersion{}, 0, err
	}
	var v fileVersion
	text, err := readState(p.version)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fileVersion{}, 0, fmt.Errorf("fetch: %w", err)
	}
	known := err == nil && json.Unmarshal(text, &v) == nil && v.URL == f.URL && (v.rangeValidator() != "" ||
		f.SHA256 != "")
	if !known || v.Total > 0 && n > v.Total || f.Size > 0 && n > f.Size {
		return fileVersion{}, 0, discardPart(p)
	}
	return v, n, nil
}
