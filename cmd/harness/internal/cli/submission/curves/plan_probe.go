package curves

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/internal/submission/endpoints"
	"github.com/plumbline-ml/plumbline/internal/submission/endpoints/drive"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/serving"
	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// The time per number of users and the highest number in the search for a server's C_max.
const (
	defaultProbeTime = 20 * time.Second
	maxProbed        = 1 << 14
)

func isURL(text string) bool {
	return strings.HasPrefix(text, "http://") || strings.HasPrefix(text, "https://")
}

// probeServer measures C_max, unless it is given.
func (a *app) probeServer(c *cobra.Command, f *planFlags, url string) error {
	f.url = url
	flags := c.Flags()
	switch {
	case flags.Changed("check") || !flags.Changed("model"):
		return sdk.Usage(errors.New("a plan for a server must be new and needs --model"))
	case flags.Changed("c-max"):
		return nil
	case f.probe <= 0:
		return sdk.Usage(fmt.Errorf("--probe is %v, want more than 0", f.probe))
	}
	f.connection.Model.Env, f.connection.Model.Secrets = a.Env, &a.Secrets
	options, err := f.connection.ServerOptions()
	if err != nil {
		return sdk.Usage(err)
	}
	connection := serving.ServerConnection{Options: options, Lookup: a.LookupVariable}
	try, end, err := drive.ServerTries(c.Context(), connection, url, prompts.PromptOptions{File: f.data}, f.probe)
	if err != nil {
		return serving.OfServer(err)
	}
	defer end()
	search := drive.Probe{Try: try, Min: endpoints.NewestRules().MaxCMin + 1, Max: maxProbed,
		Say: func(line string) { fmt.Fprintln(a.Stdout, line) }}
	if f.o.CMax, err = search.FindCMax(c.Context()); err != nil {
		return serving.OfServer(err)
	}
	_, err = fmt.Fprintf(a.Stdout, "C_max %d: more users raise the tokens per second by less than 3 %%\n\n", f.o.CMax)
	return err
}
