package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

var errChanged = errors.New("the file changed on the server during the download")

// attemptDownload makes one request for the missing bytes of the part file. It reports whether the attempt resumed an
// earlier one.
func (c *Cache) attemptDownload(ctx context.Context, f File, p cachePaths, n int) (resumed bool, err error) {
	have, offset, err := readVersion(f, p)
	if err != nil {
		return false, err
	}
	if have.isComplete(f, offset) {
		return true, nil
	}
	ctx, watch := startWatchdog(ctx, c.options.StallTimeout)
	defer watch.stopTimer()
	resp, err := c.client.Do(newRequest(ctx, f, have, offset))
	if err != nil {
		return false, watch.classifyError(err)
	}
	defer resp.Body.Close()
	if offset, err = bodyOffset(resp, f, p, have, offset); err != nil {
		return offset > 0, err
	}
	got := versionOf(f, resp, offset)
	if f.Size > 0 && got.Total > 0 && got.Total != f.Size {
		return false, fmt.Errorf("%w: the server has %d bytes, want %d", ErrChecksum, got.Total, f.Size)
	}
	if f.Size == 0 && got.Total > c.options.Limits.Download {
		return false, fmt.Errorf("%w: the server has %d bytes, want at most %d", ErrChecksum, got.Total,
			c.options.Limits.Download)
	}
	part, err := openPart(p, got, offset)
	if err != nil {
		return false, err
	}
	err = c.receiveBody(f, part, Progress{
		Name: f.Name, Phase: Downloading, Done: offset, Total: max(got.Total, f.Size), Attempt: n,
	}, watch.wrapReader(resp.Body))
	return offset > 0, err
}

// newRequest returns a request for the bytes from offset on, on condition that the file is still the version in have.
func newRequest(ctx context.Context, f File, have fileVersion, offset int64) *http.Request {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, f.URL, nil)
	if err != nil {
		panic(err) // File.checkEntry has parsed the address
	}
	req.Header.Set("User-Agent", "plumbline-fetch")
	req.Header.Set("Accept-Encoding", "identity")
	if offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", offset))
		if v := have.rangeValidator(); v != "" {
			req.Header.Set("If-Range", v)
		}
	}
	return req
}

// bodyOffset checks a response's status and returns the offset of the body's first byte in the file.
func bodyOffset(resp *http.Response, f File, p cachePaths, have fileVersion, offset int64) (int64, error) {
	switch {
	case resp.StatusCode == http.StatusOK:
		return 0, checkContentType(resp, f)
	case resp.StatusCode == http.StatusPartialContent && offset > 0:
		start, ok := parseRangeStart(resp.Header.Get("Content-Range"))
		if !ok || start != offset || !have.mayMatch(versionOf(f, resp, offset)) {
			return 0, errors.Join(transientError{error: errChanged}, discardPart(p))
		}
		return offset, nil
	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable && offset > 0:
		return 0, errors.Join(transientError{error: errChanged}, discardPart(p))
	}
	return 0, statusError(resp)
}

// checkContentType rejects a web page in place of a model, as from a login, a captive portal or a moved file.
func checkContentType(resp *http.Response, f File) error {
	kind := resp.Header.Get("Content-Type")
	if strings.HasPrefix(kind, "text/html") && !strings.Contains(filepath.Ext(f.Name), "htm") {
		return fmt.Errorf("%w: it sent a web page (%s) instead of %s; open the address in a browser to see why",
			ErrServer, kind, f.Name)
	}
	return nil
}

// parseRangeStart parses the first number of "bytes 10-99/100".
func parseRangeStart(header string) (int64, bool) {
	text, ok := strings.CutPrefix(header, "bytes ")
	if !ok {
		return 0, false
	}
	first, _, ok := strings.Cut(text, "-")
	start, err := strconv.ParseInt(first, 10, 64)
	return start, ok && err == nil
}

// statusError returns the error for a status. It is a transientError if another attempt can help.
func statusError(resp *http.Response) error {
	err := fmt.Errorf("%w: status %s", ErrServer, resp.Status)
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests,
		http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return transientError{err, parseRetryAfter(resp.Header.Get("Retry-After"))}
	}
	return fmt.Errorf("%w; is the address right?", err)
}

// parseRetryAfter parses a number of seconds. It returns 0 for a date.
func parseRetryAfter(header string) time.Duration {
	s, err := strconv.Atoi(header)
	if err != nil || s < 0 {
		return 0
	}
	return time.Duration(min(s, int(maxRetryAfter/time.Second))) * time.Second
}

// receiveBody writes the body to the part file from offset p.Done on. After an error the bytes before it stay in the
// file.
func (c *Cache) receiveBody(f File, part *os.File, p Progress, body io.Reader) error {
	most := c.options.Limits.Download
	if f.Size > 0 {
		most = f.Size
	}
	w := &countingWriter{Writer: part, n: p.Done, progress: func(n int64) {
		p.Done = n
		c.reportProgress(p)
	}}
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, io.LimitReader(body, most-p.Done+1), make([]byte, 256<<10))
	if err == nil {
		err = part.Sync()
	}
	if err := errors.Join(err, part.Close()); err != nil {
		return err
	}
	if w.n > most {
		return errors.Join(fmt.Errorf("%w: more than %d bytes came", ErrChecksum, most), os.Truncate(part.Name(), 0))
	}
	return nil
}

// openPart opens the part file for writing at offset. It first cuts off the bytes after offset and then records the
// version. Otherwise the part could count as one of another version.
func openPart(p cachePaths, v fileVersion, offset int64) (*os.File, error) {
	part, err := os.OpenFile(p.part, os.O_CREATE|os.O_WRONLY|noFollow, 0o644)
	if err != nil {
		return nil, fmt.Errorf("fetch: %w", err)
	}
	_, err = part.Seek(offset, io.SeekStart)
	if err := errors.Join(err, part.Truncate(offset), writeJSON(p.version, v)); err != nil {
		return nil, fmt.Errorf("fetch: %w", errors.Join(err, part.Close()))
	}
	return part, nil
}
