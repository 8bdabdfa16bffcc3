package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// modelList is an endpoint's list of models.
type modelList struct {
	ids    []string
	models map[string]listedModel
	server string // header field Server
}

// listedModel is a model of a list.
type listedModel struct {
	owner      string
	maxLength  int // maximum tokens of a prompt and its answer; 0: unknown
	vocabulary int // number of token ids; 0: unknown
}

// maxListBytes is the maximum size of the list of models.
const maxListBytes = 8 << 20

// discoverModels asks all endpoints for their models and sets the name of the model and the kind of server if the
// options do not. The error lists the faults of all endpoints. It has class backend.ErrModel unless an endpoint did not
// return a list.
func (s *openaiSettings) discoverModels(ctx context.Context, client *http.Client, header http.Header) error {
	var faults []error
	for _, base := range s.endpoints {
		if err := s.discoverOne(ctx, client, header, base); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", base, err))
		}
	}
	err := errors.Join(faults...)
	if silent := new(tryFailure); err == nil || errors.As(err, &silent) {
		return err
	}
	return fmt.Errorf("%w: %w", backend.ErrModel, err)
}

func (s *openaiSettings) discoverOne(ctx context.Context, client *http.Client, header http.Header,
	base *url.URL) error {
	ctx, cancel := withConnectTimeout(ctx, s.connect)
	defer cancel()
	l, err := listModels(ctx, client, header, base)
	if err != nil {
		return err
	}
	return s.chooseModel(l)
}

// chooseModel sets the model and the kind of server if the options do not, or checks that the list contains the model.
func (s *openaiSettings) chooseModel(l modelList) error {
	switch {
	case s.model == "" && len(l.ids) == 1:
		s.model = l.ids[0]
	case s.model == "":
		return fmt.Errorf("it has %d models: choose one with option model: %s", len(l.ids), strings.Join(l.ids, ", "))
	case !slices.Contains(l.ids, s.model):
		return fmt.Errorf("it has no model %q, but %s", s.model, strings.Join(l.ids, ", "))
	}
	k := kindOfOwner(l.models[s.model].owner + " " + l.server)
	switch {
	case s.kind == nil:
		s.kind = k
	case !s.kindGiven && s.kind.name != k.name:
		return fmt.Errorf("it is a server of the kind %s, and another of the kind %s: say which with option server",
			k.name, s.kind.name)
	}
	if s.api == nativeAPI && !s.kind.maybeNative() {
		return fmt.Errorf("it is a server of the kind %s, and option api=sglang asks SGLang alone", s.kind.name)
	}
	return nil
}

// listModels asks an endpoint for its models.
func listModels(ctx context.Context, client *http.Client, header http.Header, base *url.URL) (l modelList, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base.String()+"/models", http.NoBody)
	if err != nil {
		return l, err
	}
	request.Header = header
	response, err := client.Do(request)
	if err != nil {
		return l, connectionFailure(ctx, err)
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxListBytes))
	if err != nil {
		return l, connectionFailure(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		return l, statusFailure(response, body[:min(len(body), maxErrorBody)])
	}
	if coding := response.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return l, encodingError(coding)
	}
	var answer struct {
		Data []struct {
			ID        string `json:"id"`
			OwnedBy   string `json:"owned_by"`
			MaxLength int    `json:"max_model_len"`
			Meta      struct {
				Vocabulary int `json:"n_vocab"`
			} `json:"meta"` // object of llama.cpp
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return l, fmt.Errorf("its list of models is not what the API has, but %.100q: %.100q",
			response.Header.Get("Content-Type"), body)
	}
	l.server, l.models = response.Header.Get("Server"), map[string]listedModel{}
	for _, m := range answer.Data {
		l.ids = append(l.ids, m.ID)
		l.models[m.ID] = listedModel{owner: m.OwnedBy, maxLength: max(m.MaxLength, 0), vocabulary: max(m.Meta.Vocabulary, 0)}
	}
	return l, nil
}
