package shown

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/backends/openai"
	"github.com/plumbline-ml/plumbline/internal/table"
	"github.com/plumbline-ml/plumbline/internal/terminal"
)

// WriteProbe prints the description of a server.
func WriteProbe(w io.Writer, p openai.ProbeResult) error {
	terminal.WriterTo(w).Print(terminal.Span{Style: terminal.Heading, Text: ServerText(p.ServerInfo)}, "\n")
	t := table.Table{Indent: "  "}
	t.Row("models", strings.Join(p.Models, ", "))
	t.Row("answers", strings.Join(APINames(p.APIs), ", "))
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

func streamText(p openai.ProbeResult) string {
	switch {
	case !p.Streams:
		return fmt.Sprintf("no: %s answers in one piece, so that only whole answers can be timed", p.Asked)
	case p.TPOT > 0:
		return fmt.Sprintf("%s, first token after %s, then one every %s", p.Asked, latencyText(float64(p.TTFT)),
			latencyText(float64(p.TPOT)))
	}
	return fmt.Sprintf("%s, first token after %s", p.Asked, latencyText(float64(p.TTFT)))
}

func countText(p openai.ProbeResult) string {
	switch p.Counts {
	case "":
		return "no tokens: times can be measured, tokens not, unless --tokenizer FILE counts them"
	case "ids":
		return fmt.Sprintf("tokens by ids: %d in the answer to a prompt of %s", p.Tokens, knownTokens(p.PromptTokens))
	}
	return fmt.Sprintf("tokens by the usage record: %d in the answer to a prompt of %s", p.Tokens,
		knownTokens(p.PromptTokens))
}

// knownTokens formats a number of tokens, if the server reported it.
func knownTokens(n int) string {
	if n < 0 {
		return "a length that it does not tell"
	}
	return strconv.Itoa(n)
}

func cacheText(p openai.ProbeResult) string {
	if p.TellsCached {
		return "tells how many tokens of a prompt it had kept"
	}
	return "does not tell how many tokens of a prompt it had kept"
}

func lengthText(p openai.ProbeResult) string {
	text := "answers of an exact length cannot be asked for: a model may end them early"
	if p.Exact {
		text = "answers of an exact length can be asked for"
	}
	if p.IDs {
		text += "; ids of tokens, too"
	}
	return text
}

// APINames returns the names of parts of the API.
func APINames(apis []openai.APIPart) []string {
	names := make([]string, len(apis))
	for i, api := range apis {
		names[i] = string(api)
	}
	return names
}
