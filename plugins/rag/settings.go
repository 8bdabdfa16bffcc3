package rag

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/plumbline-ml/plumbline/internal/bounded"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/agent"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/pgvector"
	"github.com/plumbline-ml/plumbline/plugins/rag/internal/standin"
	"github.com/plumbline-ml/plumbline/preprocess/text/wordpiece"
	"github.com/plumbline-ml/plumbline/sdk"
	"github.com/plumbline-ml/plumbline/sdk/backend"
	"github.com/plumbline-ml/plumbline/sdk/manifest"
	"github.com/plumbline-ml/plumbline/sdk/option"
)

// ragSettings are the parameters of both models and of the servers.
type ragSettings struct {
	storeSettings
	encoder  *tokenRows // of the embedder
	reranker *tokenRows
	loop     agent.LoopOptions

	queries, relevance, judge serverSettings
	fields                    requestSettings
	tries                     int
	cache                     string // path of the replies of a run before; empty: none
}

// storeSettings are the parameters that both models have.
type storeSettings struct {
	Database    string        `param:"database"` // path; empty: none is there, or kept
	Index       string        `param:"index"`    // address of the store of passages; empty: none is
	Timeout     time.Duration `param:"timeout" min:"1" max:"1<<20" times:"1000000000"`
	Concurrency int           `param:"concurrency" min:"1" max:"1<<16"`
	Manifest    string        `param:"manifest"`  // path of what the database must be; empty: nothing is known
	Questions   string        `param:"questions"` // path of those that a manifest is written of; empty: none is
	JudgeCache  string        `param:"judge_cache"`
}

// askSettings are the parameters of the model that asks and answers.
type askSettings struct {
	Rounds           int               `param:"rounds" min:"1" max:"1000"`
	Depth            int               `param:"top_k" min:"1" max:"10000"`
	MaxQueries       int               `param:"max_queries" min:"1" max:"1000"`
	Prompts          *agent.PromptSet  `param:"prompts"`
	Temperature      float64           `param:"temperature" min:"0" max:"100"`
	Effort           string            `param:"reasoning_effort"`
	MaxTokens        int               `param:"reply_tokens" min:"1" max:"1<<30"`
	MaxMarkingTokens int               `param:"relevance_tokens" min:"1" max:"1<<30"`
	Tries            int               `param:"tries" min:"1" max:"1000"`
	Cache            string            `param:"cache"`
	Options          map[string]string `param:"llm_options"`
	LLM              string            `param:"llm"`
	LLMModel         string            `param:"llm_model"`
	Relevance        string            `param:"relevance_llm"`
	RelevanceModel   string            `param:"relevance_model"`
	Judge            string            `param:"judge"`
	JudgeModel       string            `param:"judge_model"`
}

// vocabSettings are the parameters of the vocabularies of the encoders.
type vocabSettings struct {
	MaxTokens int    `param:"max_tokens" min:"3" max:"1<<16"`
	Vocab     string `param:"vocab"`
	Reranker  string `param:"reranker_vocab"`
}

// serverSettings say where a language model is asked.
type serverSettings struct {
	url, model string
	options    map[string]string
}

// requestSettings are the settings of requests.
type requestSettings struct {
	temperature                 float64
	effort                      string
	maxTokens, maxMarkingTokens int // tokens of a reply, and of one that marks documents
}

// readSettings reads all parameters. What is needed by the run, or by the scoring, is a fault where it is missing.
func readSettings(r *manifest.Request) (s ragSettings) {
	if r.Verifying { // a data set is looked at alone
		return s
	}
	r.DefaultsOf("prompts")
	r.Bind(&s.storeSettings)
	if s.Database != "" && s.Index != "" {
		r.Params.AddFault("index", errors.New("want a database or an index, not both"))
	}
	asks := r.Model.Name == questionsModel
	if asks {
		s.readAsking(r)
	}
	if r.Scoring && (asks || s.Manifest == "" && s.Questions == "") {
		return s
	}
	var w vocabSettings
	r.Bind(&w)
	s.encoder = readTokens(r, "vocab", w.Vocab, embedderPart, w.MaxTokens)
	if asks {
		path := w.Reranker
		if path == "" && r.Files[rerankerPart].Path == "" {
			path = w.Vocab
		}
		s.reranker = readTokens(r, "reranker_vocab", path, rerankerPart, w.MaxTokens)
	}
	return s
}

// readAsking reads how questions are asked, and of whom.
func (s *ragSettings) readAsking(r *manifest.Request) {
	var a askSettings
	r.Bind(&a, option.ReaderFunc("prompts", readPrompts), option.ReaderFunc("llm_options", readOptions))
	s.loop = agent.LoopOptions{Rounds: a.Rounds, Depth: a.Depth, MaxQueries: a.MaxQueries, Prompts: a.Prompts}
	s.fields = requestSettings{temperature: a.Temperature, effort: a.Effort, maxTokens: a.MaxTokens,
		maxMarkingTokens: a.MaxMarkingTokens}
	s.tries, s.cache = a.Tries, a.Cache
	s.queries = serverSettings{a.LLM, a.LLMModel, a.Options}
	s.relevance = serverSettings{a.Relevance, a.RelevanceModel, a.Options}
	if s.relevance.url == "" {
		s.relevance.url = s.queries.url
		if s.relevance.model == "" {
			s.relevance.model = s.queries.model
		}
	}
	s.judge = serverSettings{a.Judge, a.JudgeModel, a.Options}
	switch {
	case r.Scoring && s.judge.url == "":
		r.Params.AddFault("judge",
			errors.New("want the address of a server whose model judges answers, http://HOST:PORT, or "+
				"embedded"))
	case !r.Scoring && s.queries.url == "":
		r.Params.AddFault("llm", errors.New("want the address of a server of the language models, http://HOST:PORT, or "+
			"embedded"))
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
func (s *ragSettings) openStore(ctx context.Context) (*pgvector.Store, error) {
	if s.Index == "" {
		return nil, nil
	}
	store, err := pgvector.Open(ctx, s.Index, s.Timeout, s.Concurrency)
	switch {
	case errors.Is(err, pgvector.ErrAddress):
		return nil, sdk.Usage(fmt.Errorf("parameter index: %w", err))
	case err != nil: // as any server that is not there
		return nil, sdk.Data(fmt.Errorf("parameter index: %w", err))
	}
	return store, nil
}

// maxPromptSize bounds the bytes of a prompt, and maxVocabSize those of a vocabulary.
const (
	maxPromptSize = 16 << 20
	maxVocabSize  = 64 << 20
)

// readPrompts reads the words that models are asked in.
func readPrompts(path string) (*agent.PromptSet, error) {
	switch path {
	case manifest.Embedded:
		return agent.ReadPrompts(standin.PromptFiles())
	case "":
		return nil, errors.New("want a folder of queries.txt, relevance.txt, sufficiency.txt, answer.txt and judge.txt, " +
			"or embedded")
	}
	return agent.ReadPrompts(bounded.Dir(path, maxPromptSize))
}

// readTokens reads the vocabulary of a part: at the path that the parameter has, or vocab.txt beside the part's file.
func readTokens(r *manifest.Request, param, path, part string, most int) *tokenRows {
	text, err := readVocab(path, r.Files[part])
	if err == nil {
		var t *wordpiece.Tokenizer
		if t, err = wordpiece.New(text); err == nil {
			return newTokenRows(t, most)
		}
	}
	r.AddFault(sdk.Data(fmt.Errorf("parameter %s: %w", param, err)))
	return nil
}

func readVocab(path string, m backend.Model) ([]byte, error) {
	if path == manifest.Embedded || path == "" && m.Path == "" {
		return modelFiles.ReadFile("model/vocab.txt")
	}
	if path == "" {
		path = filepath.Join(filepath.Dir(m.Path), "vocab.txt")
	}
	return bounded.ReadFile(path, maxVocabSize)
}
