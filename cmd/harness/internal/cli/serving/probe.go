package serving

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/lists"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
	"github.com/plumbline-ml/plumbline/sdk"
)

// probe asks a server what it is, and prints that.
func (a *app) probe(c *cobra.Command, f *probeFlags) (err error) {
	client, err := a.connect(c.Context(), &f.serverFlags)
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }() // nothing was written
	found, err := client.Probe(c.Context())
	switch {
	case c.Context().Err() != nil:
		return context.Cause(c.Context())
	case err != nil:
		return sdk.Data(fmt.Errorf("%s: %w", strings.Join(client.About().URLs, ", "), err))
	}
	for i, fault := range found.Faults {
		found.Faults[i] = a.Secrets.Hide(fault)
	}
	if f.json {
		err = writeJSON(a.Data, probedOf(found))
	} else {
		err = probeTable(a.Stdout, found)
	}
	if err == nil && !found.Agree {
		err = sdk.Data(errors.New("its ids and its usage record count different numbers of tokens: harness bench counts " +
			"such answers as failures, unless --backend-opt count=usage takes the record alone"))
	}
	return err
}

// probed is what --json prints.
type probed struct {
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
	Counts        string   `json:"counts,omitempty"` // ids, usage
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

func probedOf(p openai.Probed) probed {
	return probed{
		Schema: "plumbline.probe", SchemaVersion: 1, URLs: p.URLs, Kind: p.Kind, Version: p.Version, Models: p.Models,
		Model: p.Model, MaxLength: p.MaxLength, Vocabulary: p.Vocabulary, APIs: names(p.APIs), Asked: string(p.Asked),
		Streams: p.Streams, Counts: p.Counts, Agree: p.Agree, Cached: p.TellsCached, Reasoning: p.TellsReasoning,
		Thinks: p.Thinks, Exact: p.Exact, TTFT: int64(p.TTFT), TPOT: int64(p.TPOT), PromptTokens: p.PromptTokens,
		Tokens: p.Tokens, Faults: append([]string{}, p.Faults...),
	}
}

// names are those of parts of the API.
func names(apis []openai.API) []string {
	return lists.Map(apis, func(api openai.API) string { return string(api) })
}

// writeJSON prints a document for programs.
func writeJSON(w io.Writer, doc any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(doc)
}

// probeTable prints what a server is.
func probeTable(w io.Writer, p openai.Probed) error {
	terminal.On(w).Print(terminal.Span{Style: terminal.Heading, Text: serverText(p.About)}, "\n")
	t := table.Table{Indent: "  "}
	t.Row("models", strings.Join(p.Models, ", "))
	t.Row("answers", strings.Join(names(p.APIs), ", "))
	if p.MaxLength > 0 {
		t.Row("context", strconv.Itoa(p.MaxLength)+" tokens of a prompt and its answer")
	}
	if p.Asked != "" {
		t.Row("streams", streamText(p))
		t.Row("counts", countText(p))
		t.Row("cache", cacheText(p))
	}
	t.Row("lengths", lengthText(p))
	for _, fault := range p.Faults {
		t.Row(terminal.Span{Style: terminal.Doubtful, Text: "fault"}, fault)
	}
	_, err := t.WriteTo(w)
	return err
}

func streamText(p openai.Probed) string {
	switch {
	case !p.Streams:
		return fmt.Sprintf("no: %s answers in one piece, so that only whole answers can be timed", p.Asked)
	case p.TPOT > 0:
		return fmt.Sprintf("%s, first token after %s, then one every %s", p.Asked, latency(float64(p.TTFT)),
			latency(float64(p.TPOT)))
	}
	return fmt.Sprintf("%s, first token after %s", p.Asked, latency(float64(p.TTFT)))
}

func countText(p openai.Probed) string {
	switch p.Counts {
	case "":
		return "no tokens: times can be measured, tokens not, unless --tokenizer FILE counts them"
	case "ids":
		return fmt.Sprintf("tokens by ids: %d in the answer to a prompt of %s", p.Tokens, known(p.PromptTokens))
	}
	return fmt.Sprintf("tokens by the usage record: %d in the answer to a prompt of %s", p.Tokens, known(p.PromptTokens))
}

// known is a number of tokens, where the server told it.
func known(n int) string {
	if n < 0 {
		return "a length that it does not tell"
	}
	return strconv.Itoa(n)
}

func cacheText(p openai.Probed) string {
	if p.TellsCached {
		return "tells how many tokens of a prompt it had kept"
	}
	return "does not tell how many tokens of a prompt it had kept"
}

func lengthText(p openai.Probed) string {
	text := "answers of an exact length cannot be asked for: a model may end them early"
	if p.Exact {
		text = "answers of an exact length can be asked for"
	}
	if p.IDs {
		text += "; ids of tokens, too"
	}
	return text
}
