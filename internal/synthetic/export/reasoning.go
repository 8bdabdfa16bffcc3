package export

import (
	"context"
	"encoding/json"
	"io"

	"github.com/plumbline-ml/plumbline/internal/synthetic/reasoning"
)

// ReasoningRows are questions: a set of package reasoning, or the rows of an evaluation set.
type ReasoningRows interface {
	Len() int
	At(i int) reasoning.Row
}

// reasoningRow is one line.
type reasoningRow struct {
	Text    string `json:"text_input"`
	Truth   string `json:"ground_truth"`
	Dataset string `json:"dataset"`
	Thought string `json:"thought"`
	Answer  string `json:"answer"`
}

// Reasoning writes questions to the file path as JSON lines of "text_input", "ground_truth" and "dataset", the columns
// of deepseek-r1's set, and of "thought" and "answer", the two parts of the worked answer.
func Reasoning(ctx context.Context, path string, rows ReasoningRows, first, end int) error {
	return writeRows(ctx, path, rows, first, end, func(r reasoning.Row) any {
		return reasoningRow{r.Question, r.Truth, r.Dataset, r.Thought, r.Answer}
	})
}

// tokenRow is one line of gpt-oss-120b's sets.
type tokenRow struct {
	Tokens  []int32 `json:"tok_input"`
	Dataset string  `json:"dataset"`
	Truth   string  `json:"ground_truth"`
}

// ReasoningTokens writes questions to the file path as JSON lines of "tok_input", "dataset" and "ground_truth", the
// columns of gpt-oss-120b's sets. encode returns the ids of a question's complete prompt.
func ReasoningTokens(ctx context.Context, path string, rows ReasoningRows, first, end int,
	encode func(question string) []int32,
) error {
	return writeRows(ctx, path, rows, first, end, func(r reasoning.Row) any {
		return tokenRow{encode(r.Question), r.Dataset, r.Truth}
	})
}

// ReasoningProblems writes the problems of the rows to the file path as JSON lines in LiveCodeBench's form. It writes
// each problem once.
func ReasoningProblems(ctx context.Context, path string, rows ReasoningRows, first, end int) error {
	written := map[string]bool{}
	return writeRows(ctx, path, rows, first, end, func(r reasoning.Row) any {
		if r.Problem == nil || written[r.Problem.ID] {
			return nil
		}
		written[r.Problem.ID] = true
		return r.Problem
	})
}

// writeRows writes the result of line for each row, unless it is nil.
func writeRows(ctx context.Context, path string, rows ReasoningRows, first, end int,
	line func(reasoning.Row) any,
) error {
	if err := inRange(first, end, rows.Len()); err != nil {
		return err
	}
	return writeFile(path, func(w io.Writer) error {
		lines := json.NewEncoder(w)
		for i := first; i < end && ctx.Err() == nil; i++ {
			v := line(rows.At(i))
			if v == nil {
				continue
			}
			if err := lines.Encode(v); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
}
