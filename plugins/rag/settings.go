package rag

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/loop"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/pgvector"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/standin"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
)

// settings are the parameters.
type settings struct {
	encoder  *tokens // of the embedder
	reranker *tokens
	loop     loop.Options
	database string // path; empty: none is there, or kept
	index    string // address of the store that passages are kept in; empty: none is

	queries, relevance, judge server
	fields                    fields
	timeout                   time.Duration
	tries                     int
	concurrency               int
	cache                     string // path of the replies of a run before; empty: none

	judgeCache string
	manifest   string // path of what the database must be; empty: nothing is known
	questions  string // path of the questions that a manifest is written of; empty: none is
}

// server is where a language model is asked.
type server struct {
	url, model string
	options    map[string]string
}

// fields are those of requests.
type fields struct {
	temperature       float64
	effort            string
	most, mostMarking int // tokens of a reply, and of one that marks documents
}

// readSettings reads all parameters. What is needed by the run, or by the scoring, is a fault where it is missing.
func readSettings(r *manifest.Request) (s settings) {
	if r.Verifying { // a data set is looked at alone
		return s
	}
	r.DefaultsOf("prompts")
	p := r.Params
	s.database, s.index = p.Text("database"), p.Text("index")
	if s.database != "" && s.index != "" {
		p.Fault("index", errors.New("want a database or an index, not both"))
	}
	s.timeout = time.Duration(p.Int("timeout", 1, 1<<20)) * time.Second
	s.concurrency = p.Int("concurrency", 1, 1<<16)
	s.manifest, s.questions = p.Text("manifest"), p.Text("questions")
	s.judgeCache = p.Text("judge_cache")
	asks := r.Model.Name == questionsModel
	if asks {
		s.loop = loop.Options{Rounds: p.Int("rounds", 1, 1000), Depth: p.Int("top_k", 1, 10000),
			MaxQueries: p.Int("max_queries", 1, 1000)}
		var err error
		if s.loop.Prompts, err = readPrompts(p.Text("prompts")); err != nil {
			p.Fault("prompts", err)
		}
		s.readServers(r)
	}
	if r.Scoring && (asks || s.manifest == "" && s.questions == "") {
		return s
	}
	most := p.Int("max_tokens", 3, 1<<16)
	s.encoder = readTokens(r, "vocab", embedderPart, most)
	if asks {
		s.reranker = readTokens(r, "reranker_vocab", rerankerPart, most)
	}
	return s
}

// readServers reads who is asked, and how.
func (s *settings) readServers(r *manifest.Request) {
	p := r.Params
	s.fields = fields{temperature: p.Float("temperature", 0, 100), effort: p.Text("reasoning_effort"),
		most: p.Int("reply_tokens", 1, 1<<30), mostMarking: p.Int("relevance_tokens", 1, 1<<30)}
	s.tries = p.Int("tries", 1, 1000)
	s.cache = p.Text("cache")
	options, err := readOptions(p.Text("llm_options"))
	if err != nil {
		p.Fault("llm_options", err)
	}
	s.queries = server{p.Text("llm"), p.Text("llm_model"), options}
	s.relevance = server{p.Text("relevance_llm"), p.Text("relevance_model"), options}
	if s.relevance.url == "" {
		s.relevance.url = s.queries.url
		if s.relevance.model == "" {
			s.relevance.model = s.queries.model
		}
	}
	s.judge = server{p.Text("judge"), p.Text("judge_model"), options}
	switch {
	case r.Scoring && s.judge.url == "":
		p.Fault("judge", errors.New("want the address of a server whose model judges answers, http://HOST:PORT, or embedded"))
	case !r.Scoring && s.queries.url == "":
		p.Fault("llm", errors.New("want the address of a server of the language models, http://HOST:PORT, or embedded"))
	}
}

// readOptions reads options of the client of servers: KEY=VALUE, with commas between.
func readOptions(text string) (map[string]string, error) {
	options := map[string]string{}
	if text == "" {
		return options, nil
	}
	for one := range strings.SplitSeq(text, ",") {
		key, value, ok := strings.Cut(one, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%q, want KEY=VALUE, with commas between", one)
		}
		options[key] = value
	}
	return options, nil
}

// openStore connects to the store of passages; nil: there is none.
func (s *settings) openStore(ctx context.Context) (*pgvector.Store, error) {
	if s.index == "" {
		return nil, nil
	}
	store, err := pgvector.Open(ctx, s.index, s.timeout, s.concurrency)
	switch {
	case errors.Is(err, pgvector.ErrAddress):
		return nil, sdk.Usage(fmt.Errorf("parameter index: %w", err))
	case err != nil: // as any server that is not there
		return nil, sdk.Data(fmt.Errorf("parameter index: %w", err))
	}
	return store, nil
}

// mostPrompt bounds the bytes of a prompt, and mostVocab those of a vocabulary.
const (
	mostPrompt = 16 << 20
	mostVocab  = 64 << 20
)

// readPrompts reads the words that models are asked in.
func readPrompts(path string) (*loop.Prompts, error) {
	switch path {
	case manifest.Embedded:
		return loop.ReadPrompts(standin.Words())
	case "":
		return nil, errors.New("want a folder of queries.txt, relevance.txt, sufficiency.txt, answer.txt and judge.txt, " +
			"or embedded")
	}
	return loop.ReadPrompts(bounded.Dir(path, mostPrompt))
}

// readTokens reads the vocabulary of a part: that which the parameter names, or vocab.txt beside the part's file.
func readTokens(r *manifest.Request, param, part string, most int) *tokens {
	path := r.Params.Text(param)
	if path == "" && param != "vocab" && r.Files[part].Path == "" {
		path = r.Params.Text("vocab")
	}
	text, err := readVocab(path, r.Files[part])
	if err == nil {
		var t *wordpiece.Tokenizer
		if t, err = wordpiece.New(text); err == nil {
			return newTokens(t, most)
		}
	}
	r.Fault(sdk.Data(fmt.Errorf("parameter %s: %w", param, err)))
	return nil
}

func readVocab(path string, m backend.Model) ([]byte, error) {
	if path == manifest.Embedded || path == "" && m.Path == "" {
		return modelFiles.ReadFile("model/vocab.txt")
	}
	if path == "" {
		path = filepath.Join(filepath.Dir(m.Path), "vocab.txt")
	}
	return bounded.ReadFile(path, mostVocab)
}
