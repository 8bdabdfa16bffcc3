package language

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/accuracy"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/generate"
)

// PromptWorkload is a benchmark opened with one model, one data set and its prepared prompts.
type PromptWorkload struct {
	PromptSettings
	File     backend.Model
	Coder    TextTokenizer // nil: the server has its own
	Prompts  PreparedPrompts
	findings answerFindings
}

var (
	_ sdk.GenerativeOf[*backend.Prompt] = (*PromptWorkload)(nil)
	_ sdk.SessionGenerator              = (*PromptWorkload)(nil)
	_ sdk.SessionPlanner                = (*PromptWorkload)(nil)
	_ sdk.WorkloadInfoAdder             = (*PromptWorkload)(nil)
	_ sdk.ClientWorker                  = (*PromptWorkload)(nil)
	_ sdk.Noter                         = (*PromptWorkload)(nil)
)

// Len returns the number of prompts.
func (w *PromptWorkload) Len() int { return len(w.Prompts.All) }

// Parts returns the model as the only part.
func (w *PromptWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.File}} }

// Load returns prompt i, which is the sample.
func (w *PromptWorkload) Load(_ context.Context, i int) (*backend.Prompt, error) {
	return &w.Prompts.All[i], nil
}

// Prompt returns the sample, which is a prompt.
func (w *PromptWorkload) Prompt(p *backend.Prompt) (backend.Prompt, error) { return *p, nil }

// warmTokens is the number of tokens that the warm-up generates.
const warmTokens = 4

// WarmSample returns a short prompt that occurs in no data set.
func (w *PromptWorkload) WarmSample() *backend.Prompt {
	p := w.Limits
	p.MinNewTokens, p.MaxNewTokens = min(p.MinNewTokens, warmTokens), warmTokens
	p.Text = "One two three"
	if w.Coder == nil {
		p.Messages, p.EOS = []backend.ChatMessage{{Role: "user", Content: p.Text}}, nil
		return &p
	}
	p.Tokens = w.Coder.Encode(nil, p.Text)
	return &p
}

// PlanSession requests two concurrent runs, so that prompts run while answers are generated. For the embedded model,
// each run gets one core, because sharing a run between cores takes longer than the run itself. A user's model gets all
// cores for each run.
func (w *PromptWorkload) PlanSession(_ loadgen.Scenario, c backend.Config) backend.Config {
	c.Concurrency = cmp.Or(c.Concurrency, promptsAndSteps)
	c.LowLatency = w.File.Path != ""
	return c
}

// promptsAndSteps is the number of concurrent runs in package generate.
const promptsAndSteps = 2

// NewGenerator returns a generator that decodes with a session of the model. c determines the number of concurrent
// sequences.
func (w *PromptWorkload) NewGenerator(s sdk.Sessions, c backend.Config) (backend.Generator, error) {
	if w.Coder == nil {
		return nil, sdk.Usage(
			errors.New("parameter tokenizer = server, but the backend runs the model here: give the model's tokenizer"))
	}
	return generate.New(s.Part(""), generate.GeneratorOptions{
		MaxSequences: max(cmp.Or(c.MaxBatch, defaultSequences), w.Limits.Beams), CacheBytes: w.CacheBytes, EOS: w.Limits.EOS,
	})
}

// defaultSequences is the default number of concurrent sequences.
const defaultSequences = 16

// ErrTokens means that an answer cannot come from the model to which the tokenizer belongs.
var ErrTokens = errors.New("the backend's tokens cannot be the answer")

// AppendTokens appends the token IDs of an answer in the official type, up to and including the first end token. It
// tokenizes text answers, and counts the tokens if the server does not. Without a tokenizer, the text is the payload.
func (w *PromptWorkload) AppendTokens(dst []byte, p *backend.Prompt, t backend.Tokens) ([]byte, int, error) {
	if w.Coder == nil {
		if t.N == backend.Uncounted {
			return dst, 0, errUncounted
		}
		return append(dst, t.Text...), t.N, nil
	}
	ids := t.IDs
	if ids == nil {
		w.findings.textAnswer.Store(true)
		ids = w.Coder.EncodePlain(nil, t.Text)
	}
	for i, id := range ids {
		if id < 0 || int(id) >= w.Coder.Size() {
			return dst, 0, fmt.Errorf(
				"%w: token %d is %d, the tokenizer has %d; parameter tokenizer must be that of the backend's model, or server",
				ErrTokens, i, id, w.Coder.Size())
		}
		dst = appendID(dst, w.DType, id)
		if t.IDs != nil && slices.Contains(w.Limits.EOS, id) {
			if i+1 < len(ids) {
				w.findings.truncatedAnswer.Store(true)
			}
			return dst, i + 1, nil
		}
	}
	if t.IDs == nil {
		n, err := w.findings.counts.countTokens(len(ids), t.N, p)
		return dst, n, err
	}
	return dst, len(ids), nil
}

// appendID appends an ID in little endian.
func appendID(dst []byte, d accuracy.DType, id int32) []byte {
	switch d {
	case accuracy.Int32:
		return binary.LittleEndian.AppendUint32(dst, uint32(id))
	case accuracy.Float32:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(id)))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(id))
}

// AddInfo adds notes about truncated prompts, and removes the embedded model's name if a server has its own model.
func (w *PromptWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if w.Coder == nil {
		info.ModelFile, info.Embedded, info.Precision, info.ModelSHA256, info.ModelSize = serverModel, false, "", "", 0
	}
	if info.BackendInfo == nil {
		info.BackendInfo = map[string]string{}
	}
	longest := 0
	for i := range w.Prompts.All {
		longest = max(longest, len(w.Prompts.All[i].Tokens))
	}
	info.BackendInfo["prompts_truncated"] = strconv.Itoa(w.Prompts.Truncated)
	if longest > 0 {
		info.BackendInfo["prompt_tokens_longest"] = strconv.Itoa(longest)
	}
}

// serverModel replaces the name of the model file if only the server knows it.
const serverModel = "the server's"

// answerFindings contains observations about the answers of a run.
type answerFindings struct {
	textAnswer      atomic.Bool // an answer came without token IDs
	truncatedAnswer atomic.Bool // an answer continued after its end token
	counts          tokenCounts
}

// ClientWork returns nothing if token IDs are sent and received. Prompts are tokenized before the run and untimed, as
// the rules require for the sample library.
func (w *PromptWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	var work []string
	if w.Coder == nil {
		work = append(work, "prompts are sent as text; the network division's are token ids (parameter tokenizer)")
	}
	if w.findings.textAnswer.Load() {
		work = append(work, "answers that come as text are taken apart into tokens; let the server report token ids")
	}
	if w.findings.truncatedAnswer.Load() {
		work = append(work, "answers are cut at their end token")
	}
	return work
}

// Close does nothing.
func (w *PromptWorkload) Close() error { return nil }
