package vl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync/atomic"

	"github.com/plumbline-ml/plumbline/datasets/products"
	drawn "github.com/plumbline-ml/plumbline/internal/synthetic/products"
	"github.com/plumbline-ml/plumbline/loadgen"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
)

// productWorkload is the benchmark with one catalogue.
type productWorkload struct {
	chatSettings
	chats        chatSet
	catalogue    productSet
	file         backend.Model
	fields       map[string]json.RawMessage
	officialSize int  // number of products in the official catalogue
	inProcess    bool // the model runs in this process
	findings     answerFindings
}

var (
	_ sdk.GenerativeOf[productChat] = (*productWorkload)(nil)
	_ sdk.SessionGenerator          = (*productWorkload)(nil)
	_ sdk.SessionPlanner            = (*productWorkload)(nil)
	_ sdk.PartsPrompter             = (*productWorkload)(nil)
	_ sdk.WorkloadInfoAdder         = (*productWorkload)(nil)
	_ sdk.Noter                     = (*productWorkload)(nil)
	_ sdk.ClientWorker              = (*productWorkload)(nil)
)

// answerFindings counts answers, truncated answers, and answers with reasoning.
type answerFindings struct{ answers, truncated, withReasoning atomic.Int64 }

func (w *productWorkload) Len() int           { return w.chats.Len() }
func (w *productWorkload) Parts() []sdk.Part  { return []sdk.Part{{Model: w.file}} }
func (w *productWorkload) PartsPrompts() bool { return true }
func (w *productWorkload) Close() error       { return w.chats.Close() }

// Load returns the chat of product i.
func (w *productWorkload) Load(ctx context.Context, i int) (productChat, error) {
	return w.chats.loadChat(ctx, i)
}

// Prompt returns the chat, encoded and in its parts.
func (w *productWorkload) Prompt(c productChat) (backend.Prompt, error) {
	return backend.Prompt{
		ChatJSON: c.json, Messages: w.chatMessages(c.text, c.url), Fields: w.fields, MaxNewTokens: w.Form.maxNewTokens(),
	}, nil
}

// WarmSample returns a chat about a generated product that occurs in no data set. A server that does not accept
// pictures reports this before the run.
func (w *productWorkload) WarmSample() productChat {
	row, err := generatedCatalogue{drawn.Calibration()}.Row(context.Background(), 0)
	if err != nil { // impossible for generated products
		return productChat{}
	}
	return w.makeChat(row)
}

var errUncounted = sdk.Usage(errors.New("the server counts no tokens (usage.completion_tokens), without which the " +
	"official programs take no answer either"))

// AppendTokens appends an answer in the form of the official programs: the content. For the endpoints harness, it
// appends reasoning, content and calls without separators.
func (w *productWorkload) AppendTokens(dst []byte, _ productChat, t backend.Tokens) ([]byte, int, error) {
	if t.N == backend.Uncounted {
		return dst, 0, errUncounted
	}
	w.noteAnswer(t)
	if w.Form == endpointsForm {
		dst = append(dst, t.Reasoning...)
	}
	dst = append(dst, t.Text...)
	if w.Form == endpointsForm && len(t.Calls) > 0 {
		dst = backend.AppendCalls(dst, t.Calls)
	}
	return dst, t.N, nil
}

func (w *productWorkload) noteAnswer(t backend.Tokens) {
	if t.Finish == "" {
		return // the first token only
	}
	w.findings.answers.Add(1)
	if t.Finish == "length" {
		w.findings.truncated.Add(1)
	}
	if t.Reasoning != "" {
		w.findings.withReasoning.Add(1)
	}
}

// RunNotes returns notes about common reasons for unreadable answers.
func (w *productWorkload) RunNotes() sdk.RunNotes {
	var m sdk.RunNotes
	all := w.findings.answers.Load()
	if n := w.findings.truncated.Load(); n > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d of %d answers ended at their most tokens (finish_reason length), within "+
			"the JSON as a rule.", n, all))
	}
	if n := w.findings.withReasoning.Load(); n > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("%d of %d answers have reasoning before the JSON: turn it off at the server "+
			"(chat_template_kwargs of enable_thinking, or --reasoning off), or ask a model that does not reason.", n, all))
	}
	if b, ok := w.chats.(*storedChats); ok && b.unoffered > 0 {
		m.Notes = append(m.Notes, fmt.Sprintf("The true category of %d products is not among those offered.", b.unoffered))
	}
	return m
}

// AddInfo adds a description of the requests, and removes the embedded model's name if a server has its own model.
func (w *productWorkload) AddInfo(info *sdk.WorkloadInfo) {
	if !w.inProcess {
		info.AtServer()
	}
	if info.BackendInfo == nil {
		info.BackendInfo = map[string]string{}
	}
	info.BackendInfo["picture"] = describePictures(w.catalogue)
	if n := w.chats.Size(); n > 0 {
		info.BackendInfo["requests_mib"] = strconv.FormatInt((n+1<<20-1)>>20, 10)
	}
	open := func(reason string, holds bool) {
		if holds {
			info.OpenReasons = append(info.OpenReasons, reason)
		}
	}
	_, isFile := w.catalogue.(*products.ProductSet)
	if !isFile {
		return // the rules do not apply to this data set
	}
	n := w.catalogue.Len()
	open(fmt.Sprintf("the data set has %d products, the official one %d", n, w.officialSize), n != w.officialSize)
	open("prompts have other words than those of the official program (parameter prompts)",
		w.Words.systemSum != officialSums[w.Form])
	open("the model is kept from seeing a part of each product (parameter hide)", w.HiddenPart != hiddenNothing)
}

// ClientWork returns nothing: requests are made before the run, and answers are logged unchanged.
func (w *productWorkload) ClientWork(_, _ []backend.TensorInfo, _ int) []string { return nil }

// PlanSession plans concurrent runs of one product, each on one core. In scenarios with one query at a time, a run uses
// all cores.
func (w *productWorkload) PlanSession(s loadgen.Scenario, c backend.Config) backend.Config {
	if c.Concurrency == 0 {
		c.Concurrency = runtime.GOMAXPROCS(0)
		if s == loadgen.SingleStream {
			c.Concurrency = 1
		}
	}
	c.LowLatency = true
	return c
}

// NewGenerator returns a generator that answers with the embedded network.
func (w *productWorkload) NewGenerator(s sdk.Sessions, c backend.Config) (backend.Generator, error) {
	w.inProcess = true
	return newProductReader(s.Part(""), &w.Words, max(c.Concurrency, 1)), nil
}
