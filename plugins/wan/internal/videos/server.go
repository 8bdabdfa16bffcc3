package videos

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// APIPath is the path of the API, relative to a server's address.
const APIPath = "/v1/videos/generations"

// videoServer requests videos from an HTTP server.
type videoServer struct {
	url    string
	client *http.Client
}

func newVideoServer(address string) (*videoServer, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%w: url = %q, want http://HOST:PORT", backend.ErrOption, address)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if !strings.HasSuffix(u.Path, APIPath) {
		u.Path = strings.TrimSuffix(u.Path, "/v1") + APIPath
	}
	const mostHead = 1 << 20 // bytes
	return &videoServer{u.String(), &http.Client{
		Transport: &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 1, MaxResponseHeaderBytes: mostHead},
		// The user chose the address. The server must not redirect to another one.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Limits of an answer in bytes: a video in base64 with the JSON around it, or the text of an error.
const (
	maxAnswerBytes = MaxVideoSize/3*4 + 1<<16
	maxErrorBytes  = 64 << 10
)

func (s *videoServer) makeVideo(ctx context.Context, a VideoJob) (VideoAnswer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(a.Body))
	if err != nil {
		return VideoAnswer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return VideoAnswer{}, videoFailure{err}
	}
	defer func() { _ = response.Body.Close() }() // the body has been read
	most := int64(maxAnswerBytes)
	if response.StatusCode != http.StatusOK {
		most = maxErrorBytes
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	switch to := response.Header.Get("Location"); {
	case response.StatusCode/100 == 3 && to != "":
		return VideoAnswer{}, videoFailure{fmt.Errorf("%s to %.200q, which is not followed: give the right address as "+
			"option url",
			response.Status, to)}
	case err != nil:
		return VideoAnswer{}, videoFailure{err}
	case response.StatusCode != http.StatusOK:
		return VideoAnswer{}, videoFailure{fmt.Errorf("%s: %s", response.Status, quoteStart(body))}
	case len(body) > maxAnswerBytes:
		return VideoAnswer{}, videoFailure{fmt.Errorf("the answer has more than %d bytes", maxAnswerBytes)}
	}
	answer, err := ParseAnswer(body)
	if err != nil {
		return VideoAnswer{}, videoFailure{fmt.Errorf("%w; the answer is %s", err, quoteStart(body))}
	}
	return answer, nil
}

// quoteStart quotes the beginning of a server's text.
func quoteStart(body []byte) string {
	const most = 200
	if len(body) > most {
		return fmt.Sprintf("%q and %d bytes more", body[:most], len(body)-most)
	}
	return fmt.Sprintf("%q", body)
}

func (s *videoServer) close() error {
	s.client.CloseIdleConnections()
	return nil
}
