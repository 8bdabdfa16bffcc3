package kserve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/metadata"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// Backend opens models at servers. It is immutable.
type Backend struct {
	// Lookup finds the environment variable that option token_env names, like os.LookupEnv. A nil Lookup finds none.
	Lookup func(name string) (string, bool)

	dial dialFunc // nil: over TCP
}

// Describe lists the options.
func (Backend) Describe() backend.Info {
	s := defaultSettings()
	return backend.Info{Devices: []string{"servers"}, Options: s.optionList().Docs()}
}

// Open connects to every endpoint, waits until the model is ready there, and checks the model's tensors. It does not
// use m's path and bytes, because the server has the model. If c.MaxBatch is above 0, it is the maximum batch of a
// request unless option batch is set.
func (b Backend) Open(ctx context.Context, m backend.Model, c backend.Config) (backend.Session, error) {
	set, err := readSettings(c.Options)
	if err != nil {
		return nil, err
	}
	set.part = c.Part
	set.model = cmp.Or(set.model, c.Part, c.ModelName, m.Name)
	set.batch = cmp.Or(set.batch, max(c.MaxBatch, 1))
	s := &kserveSession{settings: set}
	if s.header, err = b.requestHeader(set); err != nil {
		return nil, err
	}
	if err = s.connectEndpoints(b.dial); err == nil {
		err = s.waitReady(ctx)
	}
	if err == nil {
		err = s.bindTensors(ctx, m)
	}
	if err == nil {
		err = s.chooseCall(ctx)
	}
	if err != nil {
		return nil, shortenError(errors.Join(err, s.Close()))
	}
	s.watchLost()
	return s, nil
}

// requestHeader returns the metadata of each request: the token, if there is one, and the values of the options
// header.NAME.
func (b Backend) requestHeader(set sessionSettings) (metadata.MD, error) {
	md := metadata.Pairs(set.headers...)
	if set.token == "" {
		return md, nil
	}
	token, ok := "", false
	if b.Lookup != nil {
		token, ok = b.Lookup(set.token)
		token = strings.TrimSpace(token) // a file's last line ends in a newline
	}
	if !ok || token == "" {
		return nil, fmt.Errorf("%w: option token_env: the environment variable %s is not set", backend.ErrOption, set.token)
	}
	if !isPrintable(token) {
		return nil, fmt.Errorf("%w: option token_env: the environment variable %s holds more than printable ASCII",
			backend.ErrOption, set.token)
	}
	md.Set("authorization", "Bearer "+token)
	return md, nil
}
