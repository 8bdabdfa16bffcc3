package serving

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/sdk"

	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/serving/shown"
	"github.com/plumbline-ml/plumbline/cmd/harness/internal/cli/shell"
)

// probeServer probes a server and prints its description.
func (a *app) probeServer(c *cobra.Command, f *probeFlags) (err error) {
	client, err := a.connectServer(c.Context(), &f.serverFlags)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }() // only reads, so Close loses nothing
	found, err := client.ProbeServer(c.Context())
	switch {
	case c.Context().Err() != nil:
		return context.Cause(c.Context())
	case err != nil:
		return sdk.Data(fmt.Errorf("%s: %w", strings.Join(client.ServerInfo().URLs, ", "), err))
	}
	for i, fault := range found.Faults {
		found.Faults[i] = a.Secrets.Hide(fault)
	}
	if f.json {
		err = shell.WriteJSON(a.Data, toProbeResult(found))
	} else {
		err = shown.WriteProbe(a.Stdout, found)
	}
	if err == nil && !found.Agree {
		err = sdk.Data(errors.New("its ids and its usage record count different numbers of tokens: harness bench counts " +
			"such answers as failures, unless --backend-opt count=usage takes the record alone"))
	}
	return err
}

// probeResult is the JSON form of a probe.
type probeResult struct {
	Schema        string   `json:"schema"`
	SchemaVersion int      `json:"schema_version"`
	URLs          []string `json:"urls"`
	Kind          string   `json:"kind"`
	Version       string   `json:"version,omitempty"`
	Models        []string `json:"models"`
	Model         string   `json:"model"`
	MaxLength     int      `json:"max_length,omitempty"` // tokens of a prompt and its answer
	Vocabulary    int      `json:"vocabulary,omitempty"`
	APIs          []string `json:"apis"`
	Asked         string   `json:"asked,omitempty"`
	Streams       bool     `json:"streams"`
	Counts        string   `json:"counts,omitempty"` // method of counting tokens: ids or usage
	Agree         bool     `json:"counts_agree"`
	Cached        bool     `json:"tells_cached"`
	Reasoning     bool     `json:"tells_reasoning"`
	Thinks        bool     `json:"thinks"`
	Exact         bool     `json:"exact_lengths"`
	TTFT          int64    `json:"ttft_ns,omitempty"`
	TPOT          int64    `json:"tpot_ns,omitempty"`
	PromptTokens  int      `json:"prompt_tokens"` // -1: not counted
	Tokens        int      `json:"tokens"`
	Faults        []string `json:"faults"`
}

func toProbeResult(p openai.ProbeResult) probeResult {
	return probeResult{
		Schema: "plumbline.probe", SchemaVersion: 1, URLs: p.URLs, Kind: p.Kind, Version: p.Version, Models: p.Models,
		Model: p.Model, MaxLength: p.MaxLength, Vocabulary: p.Vocabulary, APIs: shown.APINames(p.APIs),
		Asked: string(p.Asked), Streams: p.Streams, Counts: p.Counts, Agree: p.Agree, Cached: p.TellsCached,
		Reasoning: p.TellsReasoning, Thinks: p.Thinks, Exact: p.Exact, TTFT: int64(p.TTFT), TPOT: int64(p.TPOT),
		PromptTokens: p.PromptTokens, Tokens: p.Tokens, Faults: append([]string{}, p.Faults...),
	}
}
