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

// ragSettings contains the parameters of both models and of the servers.
type ragSettings struct {
	storeSettings
	embedderRows *rowTokenizer // tokenizer of the embedder
	rerankerRows *rowTokenizer
	loop         agent.LoopOptions

	queries, relevance, judge serverSettings
	fields                    requestSettings
	tries                     int
	cachePath                 string // path of the replies of an earlier run; empty: none
}

// storeSettings contains the parameters that both models share.
type storeSettings struct {
	Database    string        `param:"database"` // path; empty: not saved, or none available
	Index       string        `param:"index"`    // address of the pgvector store; empty: none
	Timeout     time.Duration `param:"timeout" min:"1" max:"1<<20" times:"1000000000"`
	Concurrency int           `param:"concurrency" min:"1" max:"1<<16"`
	Manifest    string        `param:"manifest"`  // path of the expected manifest; empty: none
	Questions   string        `param:"questions"` // path of the queries for a manifest to write; empty: write none
	JudgeCache  string        `param:"judge_cache"`
}

// questionSettings contains the parameters of the model e2e-rag-qna.
type questionSettings struct {
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

// vocabSettings contains the parameters of the encoders' vocabularies.
type vocabSettings struct {
	MaxTokens int    `param:"max_tokens" min:"3" max:"1<<16"`
	Vocab     string `param:"vocab"`
	Reranker  string `param:"reranker_vocab"`
}

// serverSettings describes the server of a language model.
type serverSettings struct {
	url, model string
	options    map[string]string
}

// requestSettings contains the settings of requests.
type requestSettings struct {
	temperature                 float64
	effort                      string
	maxTokens, maxMarkingTokens int // limit of tokens per reply, and per reply that marks documents
}

// readSettings reads all parameters. It adds a fault for each missing parameter that the run or the scoring needs.
func readSettings(r *manifest.Request) (s ragSettings) {
	if r.Verifying { // only the data set is checked
		return s
	}
	r.DefaultsOf("prompts")
	r.Bind(&s.storeSettings)
	if s.Database != "" && s.Index != "" {
		r.Params.AddFault("index", errors.New("want a database or an index, not both"))
	}
	asks := r.Model.Name == questionsModel
	if asks {
		s.readServerSettings(r)
	}
	if r.Scoring && (asks || s.Manifest == "" && s.Questions == "") {
		return s
	}
	var w vocabSettings
	r.Bind(&w)
	s.embedderRows = readVocabulary(r, "vocab", w.Vocab, embedderPart, w.MaxTokens)
	if asks {
		path := w.Reranker
		if path == "" && r.Files[rerankerPart].Path == "" {
			path = w.Vocab
		}
		s.rerankerRows = readVocabulary(r, "reranker_vocab", path, rerankerPart, w.MaxTokens)
	}
	return s
}

// readServerSettings reads the settings of requests and servers.
func (s *ragSettings) readServerSettings(r *manifest.Request) {
	var a questionSettings
	r.Bind(&a, option.ReaderFunc("prompts", readPrompts), option.ReaderFunc("llm_options", readOptions))
	s.loop = agent.LoopOptions{MaxRounds: a.Rounds, SearchDepth: a.Depth, MaxQueries: a.MaxQueries, Prompts: a.Prompts}
	s.fields = requestSettings{temperature: a.Temperature, effort: a.Effort, maxTokens: a.MaxTokens,
		maxMarkingTokens: a.MaxMarkingTokens}
	s.tries, s.cachePath = a.Tries, a.Cache
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

// readOptions parses options of the servers' client: KEY=VALUE, separated by commas.
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

// openStore connects to the pgvector store. It returns nil if no address is given.
func (s *ragSettings) openStore(ctx context.Context) (*pgvector.Store, error) {
	if s.Index == "" {
		return nil, nil
	}
	store, err := pgvector.Open(ctx, s.Index, s.Timeout, s.Concurrency)
	switch {
	case errors.Is(err, pgvector.ErrAddress):
		return nil, sdk.Usage(fmt.Errorf("parameter index: %w", err))
	case err != nil: // same error kind as for other unreachable servers
		return nil, sdk.Data(fmt.Errorf("parameter index: %w", err))
	}
	return store, nil
}

// Size limits of a prompt file and of a vocabulary.
const (
	maxPromptBytes = 16 << 20
	maxVocabBytes  = 64 << 20
)

// readPrompts reads the prompts.
func readPrompts(path string) (*agent.PromptSet, error) {
	switch path {
	case manifest.Embedded:
		return agent.ReadPrompts(standin.PromptFiles())
	case "":
		return nil, errors.New("want a folder of queries.txt, relevance.txt, sufficiency.txt, answer.txt and judge.txt, " +
			"or embedded")
	}
	return agent.ReadPrompts(bounded.DirFS(path, maxPromptBytes))
}

// readVocabulary reads the vocabulary of a part from path, the value of the parameter param, or from vocab.txt in the
// folder of the part's file.
func readVocabulary(r *manifest.Request, param, path, part string, maxTokens int) *rowTokenizer {
	text, err := readVocab(path, r.Files[part])
	if err == nil {
		var t *wordpiece.Tokenizer
		if t, err = wordpiece.New(text); err == nil {
			return newRowTokenizer(t, maxTokens)
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
	return bounded.ReadFile(path, maxVocabBytes)
}
