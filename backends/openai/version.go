package openai

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// version asks a server for the version of its program, where its kind tells. Empty: it does not.
func (c *Client) version(ctx context.Context, k *kind, base *url.URL) string {
	var answer struct {
		Version string `json:"version"`
		Build   string `json:"build_info"` // llama.cpp's
	}
	if k.versionAt == "" || c.beside(ctx, base, k.versionAt, &answer) != nil {
		return ""
	}
	if answer.Version != "" {
		return answer.Version
	}
	return answer.Build
}

// beside asks what is not of the API, but beside it: http://host/v1 has it at http://host/.
func (c *Client) beside(ctx context.Context, base *url.URL, name string, to any) error {
	u := *base
	if last := path.Base(u.Path); len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		u.Path = path.Dir(u.Path)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + name
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), http.NoBody)
	if err != nil {
		return err
	}
	request.Header = c.header
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, mostListed))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return refused(response, body[:min(len(body), bodyShown)])
	}
	return json.Unmarshal(body, to)
}
