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

// serverProgram contains a server's description of itself outside of the API.
type serverProgram struct {
	Version  string `json:"version"`
	Build    string `json:"build_info"` // field of llama.cpp
	Settings struct {
		Length int `json:"n_ctx"` // of one request, if several requests share a model's memory
	} `json:"default_generation_settings"` // field of llama.cpp
}

// serverVersion asks a server for its version and settings, if its kind provides them. Otherwise it returns the zero
// value.
func (c *Client) serverVersion(ctx context.Context, k *serverKind, base *url.URL) (p serverProgram) {
	if k.versionPath == "" {
		return serverProgram{}
	}
	body, err := c.askManagement(ctx, http.MethodGet, base, k.versionPath)
	if err != nil || json.Unmarshal(body, &p) != nil {
		return serverProgram{}
	}
	p.Version = cmp.Or(p.Version, p.Build)
	return p
}

// ForgetPrompts makes all servers clear their prompt caches between two measurements. emptied is false if a server has
// no call for it or does not permit it. vLLM has the call if it runs with VLLM_SERVER_DEV_MODE=1.
func (c *Client) ForgetPrompts(ctx context.Context) (emptied bool, err error) {
	if c.settings.kind.clearCachePath == "" {
		return false, nil
	}
	ctx, cancel := withConnectTimeout(ctx, c.settings.connect)
	defer cancel()
	for i := range c.lanes {
		base := c.lanes[i].base
		_, err := c.askManagement(ctx, http.MethodPost, base, c.settings.kind.clearCachePath)
		if status := new(httpError); errors.As(err, &status) {
			return false, nil
		} else if err != nil {
			return false, fmt.Errorf("%s: %w", base, err)
		}
	}
	return true, nil
}

// outsideURL returns the URL of a path outside of the API: for http://host/v1, it is relative to http://host/.
func outsideURL(base *url.URL, name string) string {
	u := *base
	if last := path.Base(u.Path); len(last) > 1 && last[0] == 'v' && strings.Trim(last[1:], "0123456789") == "" {
		u.Path = path.Dir(u.Path)
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + name
	return u.String()
}

// askManagement sends a request to a path outside of the API. The error is an httpError if the status is not 200.
func (c *Client) askManagement(ctx context.Context, method string, base *url.URL, name string) (body []byte,
	err error) {
	request, err := http.NewRequestWithContext(ctx, method, outsideURL(base, name), http.NoBody)
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
		return nil, statusFailure(response, body[:min(len(body), maxErrorBody)])
	}
	return body, nil
}
