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
	Coder    TextTokenizer // nil: the server's
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

// Len is the number of prompts.
func (w *PromptWorkload) Len() int { return len(w.Prompts.All) }

// Parts are one, the model.
func (w *PromptWorkload) Parts() []sdk.Part { return []sdk.Part{{Model: w.File}} }

// Load returns prompt i, which is made: the sample.
func (w *PromptWorkload) Load(_ context.Context, i int) (*backend.Prompt, error) {
	return &w.Prompts.All[i], nil
}

// Prompt is the sample itself.
func (w *PromptWorkload) Prompt(p *backend.Prompt) (backend.Prompt, error) { return *p, nil }

// warmTokens is how many tokens the warm-up generates.
const warmTokens = 4

// WarmSample is a short prompt that no data set holds.
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

// PlanSession asks for two runs at a time, so that prompts run beside the steps of the answers under way: of the
// embedded model on one core each, which takes longer to share than to run. A user's model gets all cores for each run.
func (w *PromptWorkload) PlanSession(_ loadgen.Scenario, c backend.Config) backend.Config {
	c.Concurrency = cmp.Or(c.Concurrency, promptsAndSteps)
	c.LowLatency = w.File.Path != ""
	return c
}

// promptsAndSteps is how many runs package generate makes at a time.
const promptsAndSteps = 2

// NewGenerator decodes on a session of the model, with as many sequences together as the user asks for.
func (w *PromptWorkload) NewGenerator(s sdk.Sessions, c backend.Config) (backend.Generator, error) {
	if w.Coder == nil {
		return nil, sdk.Usage(
			errors.New("parameter tokenizer = server, but the backend runs the model here: give the model's tokenizer"))
	}
	return generate.New(s.Part(""), generate.GeneratorOptions{
		MaxSequences: max(cmp.Or(c.MaxBatch, defaultSequences), w.Limits.Beams), CacheBytes: w.Cache, EOS: w.Limits.EOS,
	})
}

// defaultSequences is how many sequences are decoded together where the user does not say.
const defaultSequences = 16

// ErrTokens is an answer that is not of the model whose tokenizer is given.
var ErrTokens = errors.New("the backend's tokens cannot be the answer")

// AppendTokens appends the ids of an answer in the official type, up to and with the first end token. Text is taken
// apart by the tokenizer, which counts its tokens where the server does not; without one it is the payload.
func (w *PromptWorkload) AppendTokens(dst []byte, p *backend.Prompt, t backend.Tokens) ([]byte, int, error) {
	if w.Coder == nil {
		if t.N == backend.Uncounted {
			return dst, 0, errUncounted
		}
		return append(dst, t.Text...), t.N, nil
	}
	ids := t.IDs
	if ids == nil {
		w.findings.text.Store(true)
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
				w.findings.cut.Store(true)
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

// appendID appends one id, little endian.
func appendID(dst []byte, d accuracy.DType, id int32) []byte {
	switch d {
	case accuracy.Int32:
		return binary.LittleEndian.AppendUint32(dst, uint32(id))
	case accuracy.Float32:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(id)))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(id))
}

// AddInfo adds what became of the prompts, and takes back the embedded model where a server has its own.
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

// serverModel stands for the name of a model file that nobody here has.
const serverModel = "the server's"

// answerFindings are what only answers show.
type answerFindings struct {
	text   atomic.Bool // one came without token ids
	cut    atomic.Bool // one went on behind its end token
	counts tokenCounts
}

// ClientWork is nothing where token ids go over and come back: prompts are tokenised before the run, untimed, as the
// rules want it of the library of samples.
func (w *PromptWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string {
	var work []string
	if w.Coder == nil {
		work = append(work, "prompts are sent as text; the network division's are token ids (parameter tokenizer)")
	}
	if w.findings.text.Load() {
		work = append(work, "answers that come as text are taken apart into tokens; let the server report token ids")
	}
	if w.findings.cut.Load() {
		work = append(work, "answers are cut at their end token")
	}
	return work
}

// Close does nothing.
func (w *PromptWorkload) Close() error { return nil }
