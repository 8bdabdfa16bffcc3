package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// serverProgram is what a server tells of itself beside the API.
type serverProgram struct {
	Version  string `json:"version"`
	Build    string `json:"build_info"` // llama.cpp's
	Settings struct {
		Length int `json:"n_ctx"` // of one request, where several share a model's memory
	} `json:"default_generation_settings"` // llama.cpp's
}

// serverVersion asks a server for its version and settings, where its kind tells. The zero value: it does not.
func (c *Client) serverVersion(ctx context.Context, k *serverKind, base *url.URL) (p serverProgram) {
	if k.tellsAt == "" {
		return serverProgram{}
	}
	body, err := c.askManagement(ctx, http.MethodGet, base, k.tellsAt)
	if err != nil || json.Unmarshal(body, &p) != nil {
		return serverProgram{}
	}
	p.Version = cmp.Or(p.Version, p.Build)
	return p
}

// ForgetPrompts makes all servers drop what they keep of prompts, between two measurements. emptied is false where one
// has no call for it, or does not let this client make it: vLLM has it where it runs with VLLM_SERVER_DEV_MODE=1.
func (c *Client) ForgetPrompts(ctx context.Context) (emptied bool, err error) {
	if c.settings.kind.forgetsAt == "" {
		return false, nil
	}
	ctx, cancel := withConnectTimeout(ctx, c.settings.connect)
	defer cancel()
	for i := range c.lanes {
		base := c.lanes[i].base
		_, err := c.askManagement(ctx, http.MethodPost, base, c.settings.kind.forgetsAt)
		if status := new(httpError); errors.As(err, &status) {
			return false, nil
		} else if err != nil {
			return false, fmt.Errorf("%s: %w", base, err)
		}
	}
	return true, nil
}

// besideAPI is where something is that is not of the API, but beside it: http://host/v1 has it at http://host/.
func besideAPI(base *url.URL, name string) string {
	u := *base
	if last := path.Base(u.Path); len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		u.Path = path.Dir(u.Path)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + name
	return u.String()
}

// askManagement asks what is not of the API, but beside it. The error is an httpError
// where it answers with another status than 200.
func (c *Client) askManagement(ctx context.Context, method string, base *url.URL, name string) (body []byte,
	err error) {
	request, err := http.NewRequestWithContext(ctx, method, besideAPI(base, name), http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header = c.header
	response, err := c.client.Do(request)
	if err != nil {
		return nil, connectionFailure(ctx, err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxListBytes))
	if err != nil {
		return nil, connectionFailure(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, statusFailure(response, body[:min(len(body), bodyShown)])
	}
	return body, nil
}
