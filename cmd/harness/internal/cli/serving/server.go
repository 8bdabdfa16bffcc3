package serving

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving"
)

// connectServer connects to the servers in the flags and probes them. Its error is a usage error, or reports that no
// server or model was found.
func (a *app) connectServer(ctx context.Context, f *serverFlags) (*openai.Client, error) {
	options, err := a.connectionOptions(f)
	if err != nil {
		return nil, err
	}
	if f.maxWait < 0 {
		return nil, sdk.Usage(fmt.Errorf("--wait %s: expected a duration such as 10m", f.maxWait))
	}
	began, waits := time.Now(), false
	client, err := serving.ServerConnection{
		Model: f.model, Options: options, Lookup: a.LookupVariable, MaxWait: f.maxWait,
		Waiting: func(text string) {
			waits = true
			a.PrintNote(a.Secrets.Hide(text))
		},
	}.Connect(ctx, f.address)
	if waits {
		f.waited = time.Since(began)
	}
	return client, err
}

// connectionOptions returns the options of the connection, except the address and the model.
func (a *app) connectionOptions(f *serverFlags) (map[string]string, error) {
	f.options.Model.Env, f.options.Model.Secrets = a.Env, &a.Secrets
	options, err := f.options.ServerOptions()
	var faults []error
	for name, instead := range map[string]string{"url": "use the argument", "model": "use --model NAME"} {
		if _, given := options[name]; given {
			faults = append(faults, fmt.Errorf("--backend-opt %s: %s", name, instead))
		}
	}
	if err = sdk.Usage(errors.Join(append(faults, err)...)); err != nil {
		return nil, err
	}
	return options, nil
}
