package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
)

// version says which version of a file a download belongs to.
type version struct {
	URL          string `json:"url"`
	ETag         string `json:"etag"`
	LastModified string `json:"last_modified"`
	Total        int64  `json:"total"` // bytes of the whole file; 0: the server did not say
}

// versionOf reads the version that a response is about. start is the offset of its first byte.
func versionOf(f File, resp *http.Response, start int64) version {
	v := version{URL: f.URL, ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified")}
	if resp.ContentLength >= 0 {
		v.Total = start + resp.ContentLength
	}
	return v
}

// validator is what If-Range may hold: a strong ETag, or the time of the last change. A weak ETag promises too little.
func (v version) validator() string {
	if v.ETag != "" && !strings.HasPrefix(v.ETag, "W/") {
		return v.ETag
	}
	return v.LastModified
}

// same reports whether the other version, of a later response, can be of the same bytes.
func (v version) same(other version) bool {
	return v.ETag == other.ETag && v.LastModified == other.LastModified &&
		(v.Total == 0 || other.Total == 0 || v.Total == other.Total)
}

// complete reports whether n bytes are the whole file.
func (v version) complete(f File, n int64) bool {
	return n > 0 && (n == v.Total || n == f.Size)
}

// readVersion says what the part file is a part of, and how long it is. Nothing is left of a part that cannot be gone
// on with: of another address, of unknown version (unless a sha256 will tell), or longer than the whole.
func readVersion(f File, p paths) (version, int64, error) {
	n, err := partSize(p)
	if err != nil || n == 0 {
		return version{}, 0, err
	}
	var v version
	text, err := readState(p.resume)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return version{}, 0, fmt.Errorf("fetch: %w", err)
	}
	known := err == nil && json.Unmarshal(text, &v) == nil && v.URL == f.URL && (v.validator() != "" || f.SHA256 != "")
	if !known || v.Total > 0 && n > v.Total || f.Size > 0 && n > f.Size {
		return version{}, 0, discard(p)
	}
	return v, n, nil
}
