package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// fileVersion says which version of a file a download belongs to.
type fileVersion struct {
	URL          string `json:"url"`
	ETag         string `json:"etag"`
	LastModified string `json:"last_modified"`
	Total        int64  `json:"total"` // bytes of the whole file; 0: the server did not say
}

// versionOf reads the version that a response is about. start is the offset of its first byte.
func versionOf(f File, resp *http.Response, start int64) fileVersion {
	v := fileVersion{URL: f.URL, ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified")}
	if resp.ContentLength >= 0 {
		v.Total = start + resp.ContentLength
	}
	return v
}

// rangeValidator is what If-Range may hold: a strong ETag, or the time of the last change. A weak ETag promises too
// little.
func (v fileVersion) rangeValidator() string {
	if v.ETag != "" && !strings.HasPrefix(v.ETag, "W/") {
		return v.ETag
	}
	return v.LastModified
}

// canBeSame reports whether the other version, of a later response, can be of the same bytes.
func (v fileVersion) canBeSame(other fileVersion) bool {
	return v.ETag == other.ETag && v.LastModified == other.LastModified &&
		(v.Total == 0 || other.Total == 0 || v.Total == other.Total)
}

// isComplete reports whether n bytes are the whole file.
func (v fileVersion) isComplete(f File, n int64) bool {
	return n > 0 && (n == v.Total || n == f.Size)
}

// readVersion says what the part file is a part of, and how long it is. Nothing is left of a part that cannot be gone
// on with: of another address, of unknown version (unless a sha256 will tell), or longer than the whole.
func readVersion(f File, p cachePaths) (fileVersion, int64, error) {
	n, err := partSize(p)
	if err != nil || n == 0 {
		return fileVersion{}, 0, err
	}
	var v fileVersion
	text, err := readState(p.resume)
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
