package prompts

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/lists"
)

// Errors of this package, found with errors.Is.
var (
	// ErrOptions marks options that are invalid for any data.
	ErrOptions = errors.New("impossible requests")
	// ErrData marks a file that cannot be read or has faults.
	ErrData = errors.New("data")
)

// PromptOptions determine the requests, in the words of the command line. An empty field means that the option was not
// given.
type PromptOptions struct {
	// File has the data; without one, prompts are made of the lengths in ISL.
	File string
	// Format is one of Formats; empty: by the file's name and content.
	Format string
	// Columns are FIELD=COLUMN pairs, which assign columns of the data to fields.
	Columns []string
	// API is the part of the server's API; empty or auto: by the form of the data.
	API API
	// Turns is first, the default, or all: sessions of several turns are asked in whole.
	Turns string
	// History is recorded, the default, or own: turns follow the answers in the data, or the server's own.
	History string

	// ISL and OSL are lengths of prompts and answers in tokens: ParseLengths.
	ISL, OSL string
	// Vocabulary is A..B, both included: the ids that prompts are made of.
	Vocabulary string
	// Tokenizer is the model's; nil: there is none.
	Tokenizer Tokenizer
	// Overhead is how many tokens a chat template adds to a prompt.
	Overhead int
	// Prefix is SHARE/N: this share of each prompt is one of N.
	Prefix string
	// Block is how many tokens one of hash_ids stands for; 0: 512.
	Block int
	// Order is one of Orders; empty: shuffled, by Seed. OrderSeed is the seed of the last two of them, 0 to 2^64 - 1;
	// empty: 42, as in MLPerf Endpoints' client.
	Order, OrderSeed string
	// SaltSeed is the seed of the salts, 0 to 2^64 - 1, one of which goes before the user's part of each prompt; empty:
	// there are none.
	SaltSeed string
	// SaltAfter is the text that begins the user's part of prompts of token ids. Their salt goes behind it, in tokens of
	// Tokenizer; empty: such prompts are refused where there are salts.
	SaltAfter string
	// PreferIDs takes the token ids of rows that have a text, too.
	PreferIDs bool
	// Image is WIDTHxHEIGHT or WIDTHxHEIGHTxN: so many pictures in each request.
	Image string

	// Form makes prompts of a column that has only a part of them; nil: prompts are as the rows have them.
	Form *PromptForm
	// Keep are columns whose values PromptSet.Value has, by their names; not with Turns all.
	Keep []string
	// MaxTokens is the most tokens of answers whose length neither a row nor OSL says; 0: the server's own limit.
	MaxTokens int

	// Body are KEY=JSON, fields of each request; those of a row win.
	Body []string
	// Header are NAME=VALUE of each request.
	Header []string
	// LoRA are names of adapters, for rows that name none; LoRAOrder is turns, the default, or zipf:S, S above 0.
	LoRA      []string
	LoRAOrder string
	// Tools is a file with the tools of chats that have none of their own.
	Tools string

	// Most is how many bytes of prompts are held; 0: 4 GiB.
	Most int64
	// Seed is of the order of rows, and of all that is drawn.
	Seed uint64
	// Table reads table files, such as Parquet; nil: unsupported.
	Table func(path string) (Table, error)
}

// PromptForm makes a prompt of a column. Rows that have a prompt of their own keep it.
type PromptForm struct {
	Column string
	Text   string                     // with {} where the column's text goes
	Fields map[string]json.RawMessage // of the requests whose prompts are so made; those of a row win
}

// Table is a file whose columns have names.
type Table interface {
	// Rows are the rows in order, each an object of JSON with the columns that want names, valid until the next; the
	// first error ends them. All names of columns are asked for before the first row.
	Rows(want func(column string) bool) iter.Seq2[json.RawMessage, error]
	Close() error
}

// Tokenizer turns text into ids of the model's vocabulary and back. It is used by many goroutines at a time.
type Tokenizer interface {
	// EncodePlain appends the ids of a text to dst, without special tokens around it.
	EncodePlain(dst []int32, text string) []int32
	// Decode is the text of ids, without special tokens. It fails for an id that the vocabulary has not.
	Decode(ids []int32) (string, error)
	// Size is one more than the largest id.
	Size() int
}

// Formats are the forms of files by name.
func Formats() []string {
	return []string{"jsonl", "json", "csv", "tsv", "text", "parquet", "sharegpt", "batch", "trace"}
}

// APIs are the parts of the API by name.
func APIs() []API { return []API{Chat, Completions, Responses, Embeddings, Rerank} }

// parsedOptions are the options, read.
type parsedOptions struct {
	PromptOptions
	columns    map[columnField]string
	lengths    LengthPairs
	vocabulary idRange
	prefix     sharedPrefix
	image      pictureSize
	body       map[string]json.RawMessage
	header     map[string]string
	zipf       float64 // 0: adapters take turns
	tools      json.RawMessage
	sessions   bool
	own        bool
	orderSeed  uint64
	salted     bool
	saltSeed   uint64
}

// CheckOptions returns an ErrOptions error that lists all options that are invalid for any data.
func (o PromptOptions) CheckOptions() error {
	_, err := o.parseOptions()
	return err
}

// parseOptions checks the options; its error has all faults.
func (o PromptOptions) parseOptions() (*parsedOptions, error) {
	a := &parsedOptions{PromptOptions: o, sessions: o.Turns == "all", own: o.History == "own"}
	var faults []error
	check := func(err error) {
		if err != nil {
			faults = append(faults, err)
		}
	}
	check(oneOf("--api", string(o.API), append([]string{"auto"}, toTexts(APIs())...)...))
	check(oneOf("--format", o.Format, Formats()...))
	check(oneOf("--turns", o.Turns, "first", "all"))
	check(oneOf("--history", o.History, "recorded", "own"))
	check(parseInto(&a.columns, readColumns, o.Columns))
	check(parseInto(&a.vocabulary, readVocabulary, o.Vocabulary))
	check(parseInto(&a.prefix, readPrefix, o.Prefix))
	check(parseInto(&a.image, readPicture, o.Image))
	check(parseInto(&a.body, readBody, o.Body))
	check(parseInto(&a.header, readHeader, o.Header))
	check(parseInto(&a.zipf, readOrder, o.LoRAOrder))
	check(parseInto(&a.tools, readTools, o.Tools))
	check(oneOf("--order", o.Order, Orders()...))
	given, err := readSeed("--order-seed", &a.orderSeed, o.OrderSeed)
	if check(err); !given {
		a.orderSeed = defaultOrderSeed
	}
	a.salted, err = readSeed("--salt-seed", &a.saltSeed, o.SaltSeed)
	check(err)
	a.lengths, err = ParseLengths(o.ISL, o.OSL)
	check(err)
	if o.Block < 0 {
		check(fmt.Errorf("--block %d: want a number of tokens above 0", o.Block))
	}
	for _, fault := range slices.Concat(a.findContradictions(), a.checkOfficial(), a.withoutFile()) {
		check(fault)
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%w: %w", ErrOptions, errors.Join(faults...))
	}
	if o.API == "auto" {
		a.API = ""
	}
	if o.Block == 0 {
		a.Block = 512
	}
	if o.Most <= 0 {
		a.Most = maxKept
	}
	return a, nil
}

// parseInto reads a text, or several, as a value.
func parseInto[T, V any](value *V, read func(T) (V, error), text T) (err error) {
	*value, err = read(text)
	return err
}

// findContradictions are options that do not go together.
func (a *parsedOptions) findContradictions() []error {
	var faults []error
	if a.own && !a.sessions {
		faults = append(faults, errors.New("--history own needs --turns all"))
	}
	if len(a.LoRA) == 0 && a.LoRAOrder != "" {
		faults = append(faults, errors.New("--lora-order needs --lora NAME,... as well"))
	}
	if a.File != "" && a.ISL != "" && !a.lengths.traceIn {
		faults = append(faults, fmt.Errorf("--isl %s makes prompts, and --data %s has them: give one of them; --isl trace "+
			"takes the lengths of the file", a.ISL, a.File))
	}
	return faults
}

// withoutFile are options that want a file where there is none.
func (a *parsedOptions) withoutFile() []error {
	if a.File != "" {
		return nil
	}
	var faults []error
	switch {
	case a.ISL == "":
		faults = append(faults, errors.New("nothing to ask: give --isl N for prompts of that length, or --data FILE"))
	case a.lengths.traceIn || a.lengths.traceOut:
		faults = append(faults, errors.New("the lengths \"trace\" come from a file: add --data FILE"))
	}
	for _, flag := range [][2]string{{"--format", a.Format}, {"--turns", a.Turns}, {"--history", a.History}} {
		if flag[1] != "" {
			faults = append(faults, fmt.Errorf("%s %s needs --data FILE", flag[0], flag[1]))
		}
	}
	return faults
}

func oneOf(flag, value string, choices ...string) error {
	if value == "" || slices.Contains(choices, value) {
		return nil
	}
	return fmt.Errorf("%s %q: want one of %s", flag, value, strings.Join(choices, ", "))
}

func toTexts[T ~string](names []T) []string {
	return lists.Map(names, func(n T) string { return string(n) })
}

// idRange is ids from first to last, both included; the zero value is none.
type idRange struct{ first, last int32 }

func (s idRange) size() int {
	if s == (idRange{}) {
		return 0
	}
	return int(s.last-s.first) + 1
}

// fewest is how many ids a vocabulary has at least: prompts are told apart by their first two.
const fewest = 16

func readVocabulary(text string) (idRange, error) {
	if text == "" {
		return idRange{}, nil
	}
	from, to, ok := strings.Cut(text, "..")
	first, err1 := strconv.ParseInt(from, 10, 32)
	last, err2 := strconv.ParseInt(to, 10, 32)
	if !ok || err1 != nil || err2 != nil || first < 0 || last-first+1 < fewest {
		return idRange{}, fmt.Errorf("--vocabulary %s: want FIRST..LAST, %d ids or more without special tokens, as "+
			"1000..31999",
			text, fewest)
	}
	return idRange{int32(first), int32(last)}, nil
}

func readBody(pairs []string) (map[string]json.RawMessage, error) {
	var body map[string]json.RawMessage
	for _, p := range pairs {
		key, value, ok := strings.Cut(p, "=")
		if !ok || key == "" || !json.Valid([]byte(value)) {
			return nil, fmt.Errorf(`--body %s: want KEY=JSON, as temperature=0.5 or stop=["\n"] or user="me"`, p)
		}
		if body == nil {
			body = map[string]json.RawMessage{}
		}
		body[key] = json.RawMessage(value)
	}
	return body, nil
}

func readHeader(pairs []string) (map[string]string, error) {
	var header map[string]string
	for _, p := range pairs {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" || strings.ContainsAny(p, "\r\n") {
			return nil, fmt.Errorf("--header %q: want NAME=VALUE", p)
		}
		if header == nil {
			header = map[string]string{}
		}
		header[name] = value
	}
	return header, nil
}
