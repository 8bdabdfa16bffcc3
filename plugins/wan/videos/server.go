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

// Path is that of the API below a server's address.
const Path = "/v1/videos/generations"

// server is asked by HTTP.
type server struct {
	url    string
	client *http.Client
}

func newServer(address string) (*server, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%w: url = %q, want http://HOST:PORT", backend.ErrOption, address)
	}
	u.Path = strings.TrimSuffix(u.Path, "/")
	if !strings.HasSuffix(u.Path, Path) {
		u.Path = strings.TrimSuffix(u.Path, "/v1") + Path
	}
	const mostHead = 1 << 20 // bytes
	return &server{u.String(), &http.Client{
		Transport: &http.Transport{Proxy: nil, MaxIdleConnsPerHost: 1, MaxResponseHeaderBytes: mostHead},
		// The address was given by the user; a server may not choose another one.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Bounds of an answer, in bytes: a video in Base64 and what stands around it, or the text of a failure.
const (
	mostAnswer = MostVideo/3*4 + 1<<16
	mostFault  = 64 << 10
)

func (s *server) make(ctx context.Context, a Ask) (Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(a.Body))
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(request)
	if err != nil {
		return Answer{}, failure{err}
	}
	defer func() { _ = response.Body.Close() }() // it was read
	most := int64(mostAnswer)
	if response.StatusCode != http.StatusOK {
		most = mostFault
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	switch to := response.Header.Get("Location"); {
	case response.StatusCode/100 == 3 && to != "":
		return Answer{}, failure{fmt.Errorf("%s to %.200q, which is not followed: give the right address as option url",
			response.Status, to)}
	case err != nil:
		return Answer{}, failure{err}
	case response.StatusCode != http.StatusOK:
		return Answer{}, failure{fmt.Errorf("%s: %s", response.Status, cut(body))}
	case len(body) > mostAnswer:
		return Answer{}, failure{fmt.Errorf("the answer has more than %d bytes", mostAnswer)}
	}
	answer, err := ParseAnswer(body)
	if err != nil {
		return Answer{}, failure{fmt.Errorf("%w; the answer is %s", err, cut(body))}
	}
	return answer, nil
}

// cut is the beginning of a text of a server, in quotation marks.
func cut(body []byte) string {
	const most = 200
	if len(body) > most {
		return fmt.Sprintf("%q and %d bytes more", body[:most], len(body)-most)
	}
	return fmt.Sprintf("%q", body)
}

func (s *server) close() error {
	s.client.CloseIdleConnections()
	return nil
}
