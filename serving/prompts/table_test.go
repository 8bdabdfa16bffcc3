package prompts_test

import (
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/serving/prompts"
)

// fake is a table with rows that may end in an error.
type fake struct {
	columns []string
	rows    []string
	err     error
	wanted  *[]string
	closed  *bool
}

func (f fake) Rows(want func(column string) bool) iter.Seq2[json.RawMessage, error] {
	return func(yield func(json.RawMessage, error) bool) {
		for _, c := range f.columns {
			if want(c) {
				*f.wanted = append(*f.wanted, c)
			}
		}
		for _, r := range f.rows {
			if !yield(json.RawMessage(r), nil) {
				return
			}
		}
		if f.err != nil {
			yield(nil, f.err)
		}
	}
}

func (f fake) Close() error {
	*f.closed = true
	return nil
}

// TestTables checks that only useful columns of a table are read and that faults name its rows.
func TestTables(t *testing.T) {
	path := file(t, "a.parquet", "PAR1")
	read := func(f fake) (*prompts.PromptSet, []string, error) {
		var wanted []string
		closed := false
		f.wanted, f.closed = &wanted, &closed
		set, err := prompts.ReadSet(prompts.PromptOptions{File: path, Columns: []string{"prompt=q"},
			Table: func(string) (prompts.Table, error) { return f, nil }})
		if !closed {
			t.Error("the table is not closed")
		}
		return set, wanted, err
	}
	columns := []string{"q", "prompt", "Max_Tokens", "picture_of_everything"}
	set, wanted, err := read(fake{columns: columns, rows: []string{`{"q": "x", "Max_Tokens": 3}`}})
	if err != nil || !slices.Equal(wanted, []string{"q", "Max_Tokens"}) ||
		set.Draw(prompts.DrawOptions{}).At(0).MaxTokens != 3 {
		t.Errorf("%q, %v", wanted, err)
	}
	if len(set.Notes) != 1 || set.Notes[0] != "columns without a use here: picture_of_everything, prompt" {
		t.Errorf("%q", set.Notes)
	}
	_, _, err = read(fake{columns: columns, rows: []string{`{"q": "x"}`, `{"q": null}`, `{"q": "x", "Max_Tokens": -1}`}})
	if err == nil || !strings.Contains(err.Error(), "row 2: no prompt\n") || !strings.Contains(err.Error(),
		"row 3: max_tokens") {
		t.Error(err)
	}
	_, _, err = read(fake{rows: []string{`{"q": "x"}`}, err: errors.New("page lost")})
	if !errors.Is(err, prompts.ErrData) || !strings.Contains(err.Error(), path+": row 2: page lost") {
		t.Error(err)
	}
}
